// SPDX-License-Identifier: Apache-2.0
// Advantage-weighted regression (Peng et al. 2019): a value network learns the returns of stored frames, and the actor
// clones the better actions. The returns are those of the whole episodes, so they are computed when frames are stored.
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/estimators.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Awr {
    std::string kind;

    void store(const tenon::Graph& g) const {
        const auto next = g.batch().next();
        g.write("return_to_go", tenon::reward_to_go(next["reward"], next["done"], g.option("gamma")));
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto value = g.network("value")(batch).value();
        const auto advantage = batch["return_to_go"] - value;

        g.stage("value", {.owns = {"value"}});
        g.rows("value.return", tenon::distance(kind, advantage));

        g.stage("actor", {.owns = {"actor"}});
        const auto weight = stop_gradient(min(exp(g.option("temperature") * advantage), g.option("weight_limit")));
        g.rows("actor.clone", -weight * g.network("actor")(batch).log_prob(batch["action"]));

        g.metric("return_to_go", batch_mean(batch["return_to_go"]));
        g.metric("advantage", batch_mean(advantage));
        g.metric("weight", batch_mean(weight));
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the return"),
                   tenon::live("temperature", 1.0, "[0,inf)", "how strongly the actor prefers better actions"),
                   tenon::live("weight_limit", 20.0, "(0,inf)", "maximum weight of an action"),
                   tenon::option<&Awr::kind>("loss", "l2", tenon::kDistances, "distance of the value from the return")};
};

}  // namespace

TENON_PLUGIN("awr", "0.1.0", tenon::objective<Awr>("awr", "advantage-weighted regression"));
