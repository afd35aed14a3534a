// SPDX-License-Identifier: Apache-2.0
// Conservative Q-learning on deep Q-learning (Kumar et al. 2020, CQL(H) for categorical actions): values of actions
// that the data do not have are pushed down against those that they have. Parameters are read as of the start of the
// update.
#pragma once

#include <string>
#include <tuple>

#include "tenon/discounted.hpp"
#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"
#include "tenon/objective.hpp"

namespace cql {

struct Discrete {
    bool double_q = false;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto q = g.network("qvalue");

        const auto ahead =
            double_q ? q.target()(next).q(argmax(q(next).values())) : max_over(q.target()(next).values());
        const auto [reward, discount] = tenon::discounted(g, batch, g.option("gamma"));
        const auto y = tenon::td0(reward, ahead, next["terminated"], discount);
        const auto chosen = q(batch).q(batch["action"]), error = chosen - stop_gradient(y);

        g.rows("q", 0.5 * tenon::distance(kind, error));
        g.priority(abs(error));
        g.rows("cql", g.option("cql_weight") * (logsumexp(q(batch).values()) - chosen));
        g.metric("q_value", batch_mean(chosen));
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   tenon::live("cql_weight", 1.0, "[0,inf)", "weight of the conservative term"),
                   tenon::option<&Discrete::double_q>(
                       "double", false, "", "the live network chooses the next action, the target network values it"),
                   tenon::option<&Discrete::kind>("loss", "l2", "huber|l2", "distance of a value from its target")};
};

}  // namespace cql
