// SPDX-License-Identifier: Apache-2.0
// Begins every episode with a step of one action, for games that wait for it. As in Stable-Baselines3's FireResetEnv
// this happens again if the episode ends in that step.
#pragma once

#include <cstdint>
#include <tuple>

#include "only_choice.hpp"
#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct FireReset {
    std::int64_t action;

    static constexpr auto options = std::tuple{
        tenon::option<&FireReset::action>("action", 1, "[0,inf)", "the action of this step; 1 is FIRE in most games")};

    struct Lane {
        bool fired = false;  // in the present beginning
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) const {
        require_choice(inner, action);
        return inner;
    }

    bool begin(Lane& lane, const tenon::WrapperRow& row) const {
        row.inner_action<std::int64_t>()[0] = action;
        lane.fired = row.begins() || !lane.fired;
        return lane.fired;
    }
};
