// SPDX-License-Identifier: Apache-2.0
// A penalty on the divergence from the policy to its reference, or to those of several networks: exact, or estimated
// from the batch's actions (Shao et al. 2024, eq. 4), for policies that cannot compute it.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "tenon/actor_critic.hpp"

namespace ppo {

struct Reference : tenon::ActorCritic {
    double reference_kl = 0;
    std::string reference_kl_form;
    std::vector<std::string> references;

    void reference_rows(const tenon::Graph& g, const tenon::Bound& actor) const {
        if (reference_kl == 0) {
            return;
        }
        for (const std::string& role : references) {
            const auto reference = g.network(role.c_str()).reference()(g.batch());
            const auto kl = reference_kl_form == "exact" ? actor.kl_to(reference) : estimate(g, actor, reference);
            const std::string name = role == "actor" ? "reference_kl" : "reference_kl_" + role;
            g.rows(name.c_str(), reference_kl * kl);
            g.metric(name.c_str(), batch_mean(kl));
        }
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
                "sampled: an estimate from the batch's actions, for actors without kl_from"),
            tenon::option<&Reference::references>("references", {"actor"}, "",
                                                  "the networks whose references count, each with this weight")});
};

}  // namespace ppo
