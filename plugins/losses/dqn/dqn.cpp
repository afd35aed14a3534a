// SPDX-License-Identifier: Apache-2.0
// Deep Q-learning (Mnih et al. 2015), with the action chosen by the live network if double (van Hasselt et al. 2016).
// Parameters are read as of the start of the update; td_error and the rows' priority are |q - y|.
#include <string>

#include "distributional.hpp"
#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

using tenon::Value;

namespace {

struct Dqn {
    bool double_q = true;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto q = g.network("qvalue");

        const Value y = tenon::bootstrapped(g, tenon::best_ahead(g, double_q));
        const Value chosen = q(batch).q(batch["action"]);
        const Value error = chosen - stop_gradient(y);

        g.rows("q", tenon::distance(kind, error));
        g.priority(abs(error));
        g.metric("q_value", batch_mean(chosen));
        g.metric("td_error", batch_mean(abs(error)));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
        tenon::option<&Dqn::double_q>("double", true, "",
                                      "the live network chooses the next action, the target network values it"),
        tenon::option<&Dqn::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")};
};

}  // namespace

TENON_PLUGIN("dqn", "0.1.0", tenon::objective<Dqn>("dqn", "deep Q-learning, double by default"),
             tenon::objective<dqn::C51>("c51", "Q-learning with probabilities of returns"),
             tenon::objective<dqn::Qr>("qr", "Q-learning with quantiles of returns"));
