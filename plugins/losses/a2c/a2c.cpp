// SPDX-License-Identifier: Apache-2.0
// Advantage actor-critic (Mnih et al. 2016, synchronous); with V-trace it is the learner of IMPALA (Espeholt et al.
// 2018). Advantages use the networks at the time the batch is prepared; an update reads parameters as of its start.
#include <tuple>

#include "tenon/actor_critic.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct A2c : tenon::ActorCritic {
    void prepare(const tenon::Graph& g) const { prepare_advantage(g); }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);

        g.rows("policy", -actor.log_prob(batch["action"]) * advantage(g));
        value_rows(g);
        entropy_rows(g, actor);
    }

    static constexpr auto options = std::tuple_cat(tenon::ActorCritic::options, estimator_options("gae"));
};

}  // namespace

TENON_PLUGIN("a2c", "0.1.0", tenon::objective<A2c>("a2c", "advantage actor-critic"));
