// SPDX-License-Identifier: Apache-2.0
// Advantage actor-critic (Mnih et al. 2016, synchronous) with generalised advantage estimation, or with V-trace, which
// makes it the learner of IMPALA (Espeholt et al. 2018). Advantages use the networks at the time the batch is prepared;
// an update reads parameters as of its start.
#include <string>
#include <tuple>

#include "tenon/actor_critic.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct A2c : tenon::ActorCritic {
    std::string estimator;

    void prepare(const tenon::Graph& g) const { estimator == "vtrace" ? prepare_vtrace(g) : prepare_gae(g); }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);

        g.rows("policy", -actor.log_prob(batch["action"]) * advantage(g));
        value_rows(g);
        entropy_rows(g, actor);
    }

    static constexpr auto options = std::tuple_cat(
        tenon::ActorCritic::gae_options,
        std::tuple{
            tenon::option<&A2c::estimator>("estimator", "gae", "gae|vtrace",
                                           "vtrace: corrects advantages and targets for actions of an older policy"),
            tenon::live("rho_max", 1.0, "(0,inf)", "V-trace: largest ratio that weights a step"),
            tenon::live("c_max", 1.0, "(0,inf)", "V-trace: largest ratio by which later steps count")});
};

}  // namespace

TENON_PLUGIN("a2c", "0.1.0", tenon::objective<A2c>("a2c", "advantage actor-critic"));
