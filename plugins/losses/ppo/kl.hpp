// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation with a penalty on the divergence from the policy that acted (Schulman et al. 2017, eq.
// 8). The penalty's weight is a state, adapted after the last epoch of each batch, as in section 4 of the paper.
#pragma once

#include <tuple>

#include "tenon/actor_critic.hpp"
#include "tenon/logprob_gap.hpp"
#include "tenon/objective.hpp"

namespace ppo {

struct Kl : tenon::ActorCritic, tenon::LogprobGap {
    double first_beta = 1;

    [[nodiscard]] tenon::Value beta(const tenon::Graph& g) const {
        return g.state("beta", {}, tenon::constant(first_beta));
    }

    void prepare(const tenon::Graph& g) const {
        prepare_advantage(g);
        prepare_gap(g);
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);
        const auto ratio = exp(actor.log_prob_by_head(batch["action"]) - batch["log_prob"]), kl = actor.kl();

        g.rows("policy", joint(-ratio * beside(advantage(g), ratio)));
        g.rows("kl", beta(g) * kl);
        value_rows(g);
        entropy_rows(g, actor);
        g.metric("kl", batch_mean(kl));
        g.metric("beta", beta(g));
    }

    void conclude(const tenon::Graph& g) const {
        const auto kl = batch_mean(g.network("actor")(g.batch()).kl());
        const auto goal = g.option("target_kl"), factor = g.option("beta_factor"), now = beta(g);
        g.set("beta", where(kl > 1.5 * goal, now * factor, where(kl < goal / 1.5, now / factor, now)));
    }

    static constexpr auto options = std::tuple_cat(
        tenon::ActorCritic::options, estimator_options("gae"), tenon::LogprobGap::options,
        std::tuple{tenon::live("target_kl", 0.01, "(0,inf)", "target divergence at the end of a batch"),
                   tenon::live("beta_factor", 2.0, "[1,inf)",
                               "factor by which the penalty's weight changes if the divergence is off by 1.5 times"),
                   tenon::option<&Kl::first_beta>("beta", 1.0, "(0,inf)", "initial weight of the penalty")});
};

}  // namespace ppo
