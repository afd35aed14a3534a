// SPDX-License-Identifier: Apache-2.0
// Implicit Q-learning (Kostrikov et al. 2022): a value network learns an expectile of the critics' values over the
// actions of the data, and an actor clones the better actions. Continuous with mlp/q as critics, discrete with
// mlp/q_value. All stages read the parameters as of the start of the update.
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Iql {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto q = g.network("qvalue"), v = g.network("value");
        const auto action = batch["action"];
        const auto value = v(batch).value();
        const auto advantage = stop_gradient(tenon::smallest("qvalue", q.target()(batch).q(action))) - value;

        g.stage("value", {.owns = {"value"}});
        const auto tau = g.option("expectile");
        g.rows("value.expectile", where(advantage > 0, tau, 1 - tau) * square(advantage));

        g.stage("critic", {.owns = {"qvalue"}});
        const auto chosen = q(batch).q(action);
        tenon::critic_rows(g, kind, chosen, tenon::bootstrapped(g, v(next).value()));

        g.stage("actor", {.owns = {"actor"}});
        const auto weight = stop_gradient(min(exp(g.option("temperature") * advantage), g.option("weight_limit")));
        g.rows("actor.clone", -weight * g.network("actor")(batch).log_prob(action));

        g.metric("q_value", batch_mean(mean_members(chosen)));
        g.metric("advantage", batch_mean(advantage));
        g.metric("weight", batch_mean(weight));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
        tenon::live("expectile", 0.5, "(0,1)",
                    "expectile of the values: 0.5 is the mean, 1 the best action of the data"),
        tenon::live("temperature", 1.0, "[0,inf)", "how strongly the actor prefers better actions"),
        tenon::live("weight_limit", 100.0, "(0,inf)", "maximum weight of an action"),
        tenon::option<&Iql::kind>("loss", "huber", tenon::kDistances, "distance of a critic from its target")};
};

}  // namespace

TENON_PLUGIN("iql", "0.1.0", tenon::objective<Iql>("iql", "implicit Q-learning"));
