// SPDX-License-Identifier: Apache-2.0
// A point drifts at random; the agent pushes it left or right and is rewarded for keeping it near zero. Its rules are
// compiled for GPUs as well.
#include <tenon/env.hpp>

#include "rules.hpp"

void* load_kernels(const tn_device& device);  // kernels.cpp

struct Drift : Rules {
    State now;

    static constexpr auto on_device = tenon::device_env<Rules>("step", &load_kernels, &Drift::now);
    static constexpr auto options = std::tuple{
        tenon::option<&Drift::speed>("speed", 0.1, "(0,1]", "how far it drifts in a step"),
        tenon::option<&Drift::max_episode_steps>("max_episode_steps", 100, "[0,inf)", "time limit; 0: none")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::bounded("observation", {1}, -4, 4)},
                .actions = {tenon::categorical("action", 2)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 1> observation) {
        begin(rng, now);
        observation[0] = static_cast<float>(now[0]);
    }

    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 1> observation) {
        const tenon::StepResult result = advance(now, action, rng);
        observation[0] = static_cast<float>(now[0]);
        return result;
    }
};

TENON_PLUGIN("drift", "0.1.0", tenon::env<Drift>("Drift-v0", "keep a drifting point near zero"));
