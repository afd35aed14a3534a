// SPDX-License-Identifier: Apache-2.0
// A point drifts at random; the agent pushes it left or right and is rewarded for keeping it near zero.
#include <cmath>

#include <tenon/env.hpp>

struct Drift {
    double speed;
    double place;

    static constexpr std::int64_t max_episode_steps = 100;
    static constexpr auto options =
        std::tuple{tenon::option<&Drift::speed>("speed", 0.1, "(0,1]", "how far it drifts in a step")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::bounded("observation", {1}, -4, 4)},
                .actions = {tenon::categorical("action", 2)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 1> observation) {
        place = rng.uniform(-0.5, 0.5);
        observation[0] = static_cast<float>(place);
    }

    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 1> observation) {
        place += (action == 1 ? speed : -speed) + rng.uniform(-2 * speed, 2 * speed);
        observation[0] = static_cast<float>(place);
        return {.reward = 1 - std::abs(place), .terminated = std::abs(place) > 1};
    }
};

TENON_PLUGIN("drift", "0.1.0", tenon::env<Drift>("Drift-v0", "keep a drifting point near zero"));
