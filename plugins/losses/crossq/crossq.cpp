// SPDX-License-Identifier: Apache-2.0
// CrossQ (Bhatt et al. 2024): soft actor-critic without target networks. States and next states pass through the
// critics in one call, so that batch renormalisation sees both; otherwise the critics are in evaluation mode. All
// stages read the parameters as of the start of the update.
#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/temperature.hpp"

using tenon::Value;

namespace {

struct CrossQ : tenon::Temperature {
    std::int64_t delay = 3;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const Value weight = alpha(g);

        g.stage("critic", {.owns = {"qvalue"}});
        const auto next_sample = actor.eval()(next).sample();
        const Value values = q(batch.with(next)).q(tenon::both(batch["action"], next_sample.action));
        const Value soft = tenon::smallest("qvalue", pick(values, 1, "both")) - weight * next_sample.log_prob;
        tenon::critic_rows(g, kind, pick(values, 0, "both"), tenon::bootstrapped(g, soft));

        g.stage("actor", {.owns = {"actor"}, .every = delay});
        const auto draw = actor(batch).sample();
        g.rows("actor.gain", weight * draw.log_prob - tenon::smallest("qvalue", q.eval()(batch).q(draw.action)));
        learn(g, draw.log_prob, batch["action"], delay);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
            tenon::option<&CrossQ::delay>("actor_every", 3, "[1,1000000]", "updates per update of the actor"),
            tenon::option<&CrossQ::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")},
        tenon::Temperature::options);
};

}  // namespace

TENON_PLUGIN("crossq", "0.1.0", tenon::objective<CrossQ>("crossq", "soft actor-critic without target networks"));
