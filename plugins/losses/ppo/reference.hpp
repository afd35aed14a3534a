// SPDX-License-Identifier: Apache-2.0
// A penalty on the divergence from the policy to its reference: exact, or estimated from the batch's actions (Shao et
// al. 2024, eq. 4), for policies that cannot compute it.
#pragma once

#include <string>
#include <tuple>

#include "tenon/actor_critic.hpp"

namespace ppo {

struct Reference : tenon::ActorCritic {
    double reference_kl = 0;
    std::string reference_kl_form;

    void reference_rows(const tenon::Graph& g, const tenon::Bound& actor) const {
        if (reference_kl == 0) {
            return;
        }
        const auto reference = g.network("actor").reference()(g.batch());
        const auto kl = reference_kl_form == "exact" ? actor.kl_to(reference) : estimate(g, actor, reference);
        g.rows("reference_kl", reference_kl * kl);
        g.metric("reference_kl", batch_mean(kl));
    }

    static tenon::Value estimate(const tenon::Graph& g, const tenon::Bound& actor, const tenon::Bound& reference) {
        const auto action = g.batch()["action"];
        const auto log_ratio = reference.log_prob(action) - actor.log_prob(action);
        return exp(log_ratio) - 1 - log_ratio;
    }

    static constexpr auto options = std::tuple_cat(
        tenon::ActorCritic::options,
        std::tuple{
            tenon::option<&Reference::reference_kl>(
                "reference_kl", 0.0, "[0,inf)", "weight of the divergence from the policy to its reference; 0: none"),
            tenon::option<&Reference::reference_kl_form>(
                "reference_kl_form", "exact", "exact|sampled",
                "sampled: an estimate from the batch's actions, for actors without kl_from")});
};

}  // namespace ppo
