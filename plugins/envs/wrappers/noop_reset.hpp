// SPDX-License-Identifier: Apache-2.0
// Begins every episode with a random number of steps of one action, so that deterministic envs begin differently.
#pragma once

#include <cstdint>
#include <tuple>

#include "only_choice.hpp"
#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct NoopReset {
    std::int64_t most;
    std::int64_t action;

    static constexpr auto options = std::tuple{
        tenon::option<&NoopReset::most>("most", 30, "[1,10000]", "each episode begins with 1 to so many steps"),
        tenon::option<&NoopReset::action>("action", 0, "[0,inf)", "the action of these steps"),
    };

    struct Lane {
        std::int64_t left = 0;
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) const {
        require_choice(inner, action);
        return inner;
    }

    bool begin(Lane& lane, const tenon::WrapperRow& row, tenon::Rng& rng) const {
        if (row.begins() && lane.left == 0) {
            lane.left = 1 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most)));
        } else {
            --lane.left;
        }
        row.inner_action<std::int64_t>()[0] = action;
        return lane.left > 0;
    }
};
