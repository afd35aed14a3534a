// SPDX-License-Identifier: Apache-2.0
// Conservative Q-learning on deep Q-learning (Kumar et al. 2020, CQL(H) for categorical actions): lowers the
// values of actions outside the data relative to those of the data. Parameters are read as of the start of the
// update.
#pragma once

#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"

namespace cql {

struct Discrete {
    bool double_q = false;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto q = g.network("qvalue");
        if (const tn_spec* action = g.spec("action", true);
            action != nullptr && (action->kind == TN_SPEC_MULTI_CATEGORICAL || action->kind == TN_SPEC_BINARY)) {
            throw tenon::InvalidArgument("it needs an action of one choice, categorical or one-hot");
        }
        const auto y = tenon::bootstrapped(g, tenon::best_ahead(g, double_q));
        const auto chosen = q(batch).q(batch["action"]), error = chosen - stop_gradient(y);

        // As in TorchRL's DiscreteCQLLoss, the half is of every distance: 0.5 e^2 of l2, and half of the Huber loss.
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
                   tenon::option<&Discrete::kind>("loss", "l2", tenon::kDistances,
                                                  "distance of a value from its target; the loss is half of it")};
};

}  // namespace cql
