// SPDX-License-Identifier: Apache-2.0
// The two-step game of Rashid et al., "QMIX", ICML 2018, section 5: two agents, one reward for both. The first agent's
// first action chooses a matrix, and both actions of the second step choose the reward in it. The best return, 8, needs
// values of joint actions that are not sums of the agents' values; those that are lead to 7.
#pragma once

#include "agents_actions.hpp"
#include "tenon/env.hpp"

struct TwoStep {
    std::int64_t where = 0;  // 0 the first step, 1 and 2 the matrices

    static tenon::EnvSpec spec() {
        return {{tenon::of_group("agents", 2, tenon::bounded("observation", {5}, 0, 1)),
                 tenon::bounded("state", {3}, 0, 1)},
                {tenon::of_group("agents", 2, tenon::categorical("action", 2))},
                tenon::bounded("reward", {}, 0, 8)};
    }

    void reset(const tenon::EnvRow& row) {
        where = 0;
        show(row);
    }

    tenon::StepResult step(const tenon::EnvRow& row) {
        constexpr std::array<std::array<double, 4>, 2> kPayoffs = {{{7, 7, 7, 7}, {0, 1, 1, 8}}};
        const std::span<const std::int64_t> actions = agents_actions(row, 2);
        const bool last = where > 0;
        const double reward =
            last ? kPayoffs[static_cast<std::size_t>(where - 1)][static_cast<std::size_t>(2 * actions[0] + actions[1])]
                 : 0.0;
        where = last ? 0 : 1 + actions[0];
        show(row);
        return {.reward = reward, .terminated = last};
    }

    // Each agent sees the state and which agent it is.
    void show(const tenon::EnvRow& row) const {
        const std::span<float> seen = row.observation<float>(0);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const std::size_t agent = i / 5, at = i % 5;
            seen[i] = at == static_cast<std::size_t>(where) || at == 3 + agent ? 1.0F : 0.0F;
        }
        const std::span<float> whole = row.observation<float>(1);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            whole[i] = i == static_cast<std::size_t>(where) ? 1.0F : 0.0F;
        }
    }

    void state(tenon::Archive& archive) { archive(where); }
};
