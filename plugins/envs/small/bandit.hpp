// SPDX-License-Identifier: Apache-2.0
// A multi-armed bandit: nothing to observe, and every arm pays with its own probability.
#pragma once

#include "tenon/env.hpp"

struct Bandit {
    std::vector<double> means;
    std::string pays;
    double deviation;
    std::int64_t pulls;
    std::int64_t pulled;

    static constexpr auto options =
        std::tuple{tenon::option<&Bandit::means>("means", {0.1, 0.5, 0.9}, "", "mean reward of each arm"),
                   tenon::option<&Bandit::pays>("pays", "bernoulli", "bernoulli|normal",
                                                "rewards: 1 or 0, or normal around the mean"),
                   tenon::option<&Bandit::deviation>("deviation", 1, "[0,inf)", "standard deviation of normal rewards"),
                   tenon::option<&Bandit::pulls>("pulls", 1, "[1,inf)", "steps in an episode")};

    void setup() const {
        if (means.empty()) {
            throw tenon::InvalidArgument("means is empty, but a bandit needs at least one arm");
        }
        for (const double mean : means) {
            if (pays == "bernoulli" && !(mean >= 0 && mean <= 1)) {
                throw tenon::InvalidArgument("means of bernoulli rewards must be in [0,1]; or set pays = \"normal\"");
            }
        }
    }

    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {1}, 0, 0)},
                {tenon::categorical("action", static_cast<std::int64_t>(means.size()))}};
    }

    void reset(std::span<float, 1> observation) {
        pulled = 0;
        observation[0] = 0;
    }

    tenon::StepResult step(tenon::Rng& rng, std::int64_t action, std::span<float, 1> observation) {
        observation[0] = 0;
        const double mean = means[static_cast<std::size_t>(action)];
        const double reward = pays == "normal" ? mean + deviation * rng.normal() : (rng.chance(mean) ? 1.0 : 0.0);
        return {.reward = reward, .terminated = ++pulled == pulls};
    }

    void state(tenon::Archive& archive) { archive(pulled); }
};
