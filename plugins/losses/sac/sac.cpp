// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic (Haarnoja et al. 2018) with one critic per member of the network, and a learnt temperature. All
// stages read the parameters as of the start of the update. The priority of a row is the largest error of its
// critics.
#include <string>
#include <tuple>

#include "discrete.hpp"
#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/temperature.hpp"

using tenon::Value;

namespace {

struct Sac : tenon::Temperature {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const Value weight = alpha(g);

        g.stage("critic", {.owns = {"qvalue"}});
        const auto next_sample = actor(next).sample();
        const auto soft =
            tenon::smallest("qvalue", q.target()(next).q(next_sample.action)) - weight * next_sample.log_prob;
        tenon::critic_rows(g, kind, q(batch).q(batch["action"]), tenon::bootstrapped(g, soft));

        g.stage("actor", {.owns = {"actor"}});
        const auto draw = actor(batch).sample();
        g.rows("actor.gain", weight * draw.log_prob - tenon::smallest("qvalue", q(batch).q(draw.action)));
        learn(g, draw.log_prob, batch["action"]);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
            tenon::option<&Sac::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")},
        tenon::Temperature::options);
};

}  // namespace

TENON_PLUGIN("sac", "0.1.0", tenon::objective<Sac>("sac", "soft actor-critic"),
             tenon::objective<sac::Discrete>("discrete", "soft actor-critic for categorical actions"));
