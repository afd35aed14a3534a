// SPDX-License-Identifier: Apache-2.0
// A point in a room is to be moved to a goal, another one in each episode, and is rewarded only when it has arrived.
// Runs also learn from episodes that missed their goal, as if the place that they did reach had been the goal.
#include <algorithm>
#include <cmath>

#include <tenon/env.hpp>

struct Reach {
    double stride;
    float place[2];
    float goal[2];

    static constexpr std::int64_t max_episode_steps = 30;
    static constexpr auto options =
        std::tuple{tenon::option<&Reach::stride>("stride", 0.1, "(0,1]", "how far it moves in a step")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::bounded("achieved_goal", {2}, 0, 1), tenon::bounded("desired_goal", {2}, 0, 1)},
                .actions = {tenon::categorical("action", 4)}};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        std::ranges::generate(place, [&] { return static_cast<float>(rng.uniform(0, 1)); });
        std::ranges::generate(goal, [&] { return static_cast<float>(rng.uniform(0, 1)); });
        show(row);
    }

    tenon::StepResult step(std::int64_t action, const tenon::EnvRow& row) {
        float& moved = place[action / 2];
        moved = std::clamp(moved + static_cast<float>(action % 2 == 0 ? -stride : stride), 0.0F, 1.0F);
        show(row);
        return worth(place, goal);
    }

    // What a step is worth that has led to row.achieved, had the goal been row.desired.
    tenon::StepResult judge(const tenon::GoalRow& row) const {
        return worth(row.achieved<float>(), row.desired<float>());
    }

    tenon::StepResult worth(std::span<const float> at, std::span<const float> to) const {
        const bool is_reached = std::hypot(at[0] - to[0], at[1] - to[1]) < stride;
        return {.reward = is_reached ? 1.0 : 0.0, .terminated = is_reached};
    }

    void show(const tenon::EnvRow& row) const {
        std::ranges::copy(place, row.observation<float>(0).begin());
        std::ranges::copy(goal, row.observation<float>(1).begin());
    }
};

TENON_PLUGIN("reach", "0.1.0", tenon::env<Reach>("Reach-v0", "move a point to a place"));
