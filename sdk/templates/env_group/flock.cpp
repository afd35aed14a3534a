// SPDX-License-Identifier: Apache-2.0
// Three agents on a line are to come together: each is rewarded while it is near the middle of the others. What is
// written for one agent learns for all of them, because their columns are of a group.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <tenon/env.hpp>

struct Flock {
    static constexpr std::size_t kAgents = 3;
    static constexpr std::int64_t max_episode_steps = 50;

    double stride;
    std::array<float, kAgents> places;

    static constexpr auto options =
        std::tuple{tenon::option<&Flock::stride>("stride", 0.05, "(0,1]", "how far an agent moves in a step")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::of_group("agents", kAgents, tenon::bounded("observation", {2}, 0, 1))},
                .actions = {tenon::of_group("agents", kAgents, tenon::categorical("action", 3))},
                .rewards = {tenon::of_group("agents", kAgents, tenon::unbounded("reward"))}};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        std::ranges::generate(places, [&] { return static_cast<float>(rng.uniform(0, 1)); });
        show(row);
    }

    // The actions and rewards of all agents, contiguous by agent.
    tenon::StepResult step(const tenon::EnvRow& row) {
        const auto actions = row.action<std::int64_t>();
        const auto rewards = row.reward<float>();
        for (std::size_t i = 0; i < kAgents; ++i) {
            const double moved = places[i] + stride * static_cast<double>(actions[i] - 1);
            places[i] = static_cast<float>(std::clamp(moved, 0.0, 1.0));
        }
        for (std::size_t i = 0; i < kAgents; ++i) {
            rewards[i] = std::abs(places[i] - middle_without(i)) < 2 * stride ? 1.0F : 0.0F;
        }
        show(row);
        return {.reward = std::accumulate(rewards.begin(), rewards.end(), 0.0) / kAgents};
    }

    float middle_without(std::size_t agent) const {
        float sum = 0;
        for (std::size_t i = 0; i < kAgents; ++i) {
            sum += i == agent ? 0 : places[i];
        }
        return sum / (kAgents - 1);
    }

    // Each agent observes its own place and the mean of the places of the others.
    void show(const tenon::EnvRow& row) const {
        const auto seen = row.observation<float>();
        for (std::size_t i = 0; i < kAgents; ++i) {
            seen[2 * i] = places[i];
            seen[2 * i + 1] = middle_without(i);
        }
    }
};

TENON_PLUGIN("flock", "0.1.0", tenon::env<Flock>("Flock-v0", "agents on a line come together"));
