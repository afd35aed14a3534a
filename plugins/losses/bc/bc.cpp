// SPDX-License-Identifier: Apache-2.0
// Behavioural cloning: the actor learns the actions of the data, by their likelihood or by their distance to its own.
#include <string>
#include <tuple>

#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Bc {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);
        if (kind == "likelihood") {
            g.rows("clone", -actor.log_prob(batch["action"]));
        } else {
            g.rows("clone", mean(tenon::distance(kind, actor.mode() - batch["action"])));
        }
    }

    static constexpr auto options = std::tuple{tenon::option<&Bc::kind>(
        "loss", "likelihood", "likelihood|huber|l2|l1",
        "minus the log-probability of the action, or the distance of the actor's action from it")};
};

}  // namespace

TENON_PLUGIN("bc", "0.1.0", tenon::objective<Bc>("bc", "behavioural cloning"));
