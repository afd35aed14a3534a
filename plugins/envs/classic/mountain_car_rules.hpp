// SPDX-License-Identifier: Apache-2.0
// What a step of MountainCar computes.
#pragma once

#include "tenon/device_rules.hpp"

struct MountainCarRules {
    double goal_velocity, goal_position, min_position, max_position, max_speed, force, gravity, reset_low, reset_high;
    std::int64_t max_episode_steps;
    using State = std::array<double, 2>;  // position and velocity
    using Action = std::int64_t;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        state[0] = random.uniform(reset_low, reset_high);
        state[1] = 0;
    }

    TENON_BOTH tenon::StepResult advance(State& state, std::int64_t action) const {
        auto& [x, v] = state;
        v += static_cast<double>(action - 1) * force + std::cos(3 * x) * -gravity;
        v = std::clamp(v, -max_speed, max_speed);
        x = std::clamp(x + v, min_position, max_position);
        if (x == min_position && v < 0) {
            v = 0;
        }
        return {.reward = -1, .terminated = x >= goal_position && v >= goal_velocity};
    }
};
