// SPDX-License-Identifier: Apache-2.0
// What a step computes, on the CPU and in kernels. Plain data, without strings and pointers.
#pragma once

#include <tenon/device_rules.hpp>

struct Rules {
    double speed;
    std::int64_t max_episode_steps;
    using State = std::array<double, 1>;
    using Action = std::int64_t;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        state[0] = random.uniform(-0.5, 0.5);
    }

    template <class Random>
    TENON_BOTH tenon::StepResult advance(State& state, std::int64_t action, Random& random) const {
        state[0] += (action == 1 ? speed : -speed) + random.uniform(-2 * speed, 2 * speed);
        const double away = tenon::abs(state[0]);
        return {.reward = 1 - away, .terminated = away > 1};
    }
};
