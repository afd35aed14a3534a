// SPDX-License-Identifier: Apache-2.0
// An env for tests of wrappers, whose numbers say what was done: it observes {steps of the episode, episodes, -steps},
// the reward of a step is 1 + 100 * action, and an episode terminates after a number of steps that its seed decides.
#pragma once

#include <cstdint>
#include <span>

#include "tenon/env.hpp"

struct Counting {
    std::int64_t length = 0;
    std::int64_t steps = 0;
    std::int64_t episodes = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {3})}, .actions = {tenon::categorical("action", 3)}};
    }
    void observe(std::span<float, 3> observation) const {
        observation[0] = static_cast<float>(steps);
        observation[1] = static_cast<float>(episodes);
        observation[2] = static_cast<float>(-steps);
    }
    void reset(tenon::Rng& rng, std::span<float, 3> observation) {
        length = 5 + static_cast<std::int64_t>(rng.below(10));
        steps = 0;
        ++episodes;
        observe(observation);
    }
    tenon::StepResult step(std::int64_t action, std::span<float, 3> observation) {
        ++steps;
        observe(observation);
        return {.reward = 1.0 + 100.0 * static_cast<double>(action), .terminated = steps >= length};
    }
};

inline constexpr auto kCounting = tenon::env<Counting>("Counting", "counts");
