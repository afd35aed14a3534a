// SPDX-License-Identifier: Apache-2.0
// Minimal deep Q-learning: the value of the action taken moves towards the reward plus the discounted value of the best
// next action, which a slowly updated target network gives.
#include <tenon/losses.hpp>
#include <tenon/objective.hpp>
#include <tenon/plugin.hpp>

struct Td {
    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto q = g.network("qvalue");

        const auto next_value = max_over(q.target()(next).values());
        const auto y = next["reward"] + g.option("gamma") * (1 - next["terminated"]) * next_value;
        const auto error = q(batch).q(batch["action"]) - stop_gradient(y);

        g.rows("q", tenon::smooth_l1(error));
        g.metric("td_error", batch_mean(abs(error)));
    }

    static constexpr auto options = std::tuple{tenon::live("gamma", 0.98, "[0,1]", "discount of the next value")};
};

TENON_PLUGIN("td", "0.1.0", tenon::objective<Td>("td", "deep Q-learning in its smallest form"));
