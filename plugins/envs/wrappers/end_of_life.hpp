// SPDX-License-Identifier: Apache-2.0
// Terminates the episode when a life is lost. The game goes on: the next episode begins one step later, and only the
// end of the game resets the env. The same as Stable-Baselines3's EpisodicLifeEnv.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "only_choice.hpp"
#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct EndOfLife {
    std::string column;
    std::int64_t action;
    std::size_t number = 0;  // of the extra
    std::int32_t dtype = 0;

    static constexpr auto options = std::tuple{
        tenon::option<&EndOfLife::column>("column", "info.lives", "the extra with the number of lives"),
        tenon::option<&EndOfLife::action>("action", 0, "[0,inf)", "of the step between two lives"),
    };

    struct Lane {
        std::int64_t lives = 0;
        bool goes_on = false;
        void state(tenon::Archive& archive) { archive(lives); }  // the rest does not outlive a step
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        require_choice(inner, action);
        const auto found = std::ranges::find(inner.extras, column, &tenon::Spec::key);
        if (found == inner.extras.end() || found->elements() != 1) {
            throw tenon::InvalidArgument("the env says nowhere how many lives are left: it has no number '" + column +
                                         "'; gym/env gives infos that its option 'infos' names");
        }
        number = static_cast<std::size_t>(found - inner.extras.begin());
        dtype = found->dtype;
        return inner;
    }

    bool begin(Lane& lane, const tenon::WrapperRow& row) const {
        const bool is_next_life = lane.goes_on && !row.begins();
        lane.goes_on = false;
        lane.lives = lives(row);
        row.inner_action<std::int64_t>()[0] = action;
        return is_next_life;
    }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        const std::int64_t now = lives(row);
        if (!row.done() && now > 0 && now < lane.lives) {
            row.terminate();
            row.go_on();
            lane.goes_on = true;
        }
        lane.lives = now;
    }

private:
    [[nodiscard]] std::int64_t lives(const tenon::WrapperRow& row) const {
        return tenon::with_dtype(
            dtype, [&](auto zero) { return static_cast<std::int64_t>(row.inner_extra<decltype(zero)>(number)[0]); });
    }
};
