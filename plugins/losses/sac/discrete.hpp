// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic for categorical actions (Christodoulou 2019): expectations over all actions instead of draws. All
// stages read the parameters as of the start of the update.
#pragma once

#include <cmath>
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/temperature.hpp"

namespace sac {

struct Discrete : tenon::Temperature {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto actor = g.network("actor"), q = g.network("qvalue");
        const auto weight = unsqueeze(alpha(g));  // one number for all actions, of each agent

        g.stage("critic", {.owns = {"qvalue"}});
        const auto next_log_probs = actor(next).log_probs();
        const auto soft =
            sum(exp(next_log_probs) * (tenon::smallest("qvalue", q.target()(next).values()) - weight * next_log_probs));
        tenon::critic_rows(g, kind, q(batch).q(batch["action"]), tenon::bootstrapped(g, soft));

        g.stage("actor", {.owns = {"actor"}});
        const auto log_p = actor(batch).log_probs();
        g.rows("actor.gain", sum(exp(log_p) * (weight * log_p - min_members(q(batch).values()))));

        const double most = std::log(static_cast<double>(tenon::last_size(log_p)));
        aim(g, sum(exp(log_p) * log_p), g.option("target_entropy_weight") * most);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
            tenon::live("target_entropy_weight", 0.98, "[0,1]",
                        "target entropy of the temperature, as a fraction of the maximum entropy"),
            tenon::option<&Discrete::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")},
        tenon::Temperature::alpha_options);
};

}  // namespace sac
