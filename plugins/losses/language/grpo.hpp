// SPDX-License-Identifier: Apache-2.0
// Group-relative policy optimisation (Shao et al. 2024, arXiv 2402.03300), and by its options DAPO (Yu et al. 2025,
// arXiv 2503.14476), Dr. GRPO (Liu et al. 2025, arXiv 2503.20783) and CISPO (MiniMax 2025, arXiv 2506.13585).
#pragma once

#include <string>
#include <tuple>

#include "group.hpp"
#include "tenon/logprob_gap.hpp"
#include "tenon/objective.hpp"

namespace language {

struct Grpo : Group, tenon::LogprobGap {
    std::string form;
    double reference_kl = 0;

    void prepare(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const Value stored = by_token(batch["log_prob"]), counted = counts_of(g, "action", stored);
        g.write("advantage", advantages(shaped(g, batch.next()["reward"], counted)));
        prepare_gap(g);
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const Value log_prob = by_token(g.network("actor")(batch).log_prob_by_head(batch["action"]));
        const Value log_ratio = log_prob - by_token(batch["log_prob"]), ratio = exp(log_ratio);
        const Value advantage = batch["advantage"], counted = counts_of(g, "action", log_prob);
        const Value weight = uncollect(kept(advantage), advantage);
        const Value low = g.option("clip_epsilon"), higher = g.option("clip_higher");
        const Value clipped = clamp(ratio, 1 - low, 1 + where(higher > 0, higher, low));

        const Value a = unsqueeze(advantage);
        g.rows("policy", of_answer(-gain(ratio, clipped, log_prob, a), counted, weight));
        if (reference_kl > 0) {
            const auto reference = g.network("actor").reference()(batch);
            const Value away = by_token(reference.log_prob_by_head(batch["action"])) - log_prob;
            const Value kl = of_answer(exp(away) - 1 - away, counted, weight);
            g.rows("reference_kl", reference_kl * kl);
            g.metric("reference_kl", batch_mean(kl));
        }
        g.metric("approx_kl", batch_mean(mean(ratio - 1 - log_ratio)));
        g.metric("clip_fraction", batch_mean(mean(where(clipped == ratio, 0.0, 1.0))));
        g.metric("kept", batch_mean(weight));
    }

    static constexpr auto options = std::tuple_cat(
        Group::options, tenon::LogprobGap::options,
        std::tuple{
            tenon::option<&Grpo::form>("form", "clip", "clip|cispo|clamp",
                                       "clip: the ratio is clipped as in PPO; cispo: clipped ratios are weights of the "
                                       "log-probability, so that every token has a gradient; clamp: clipped tokens "
                                       "have none"),
            tenon::live("clip_epsilon", 0.2, "(0,1]", "clip range of the ratio; can be scheduled"),
            tenon::live("clip_higher", 0.0, "[0,inf)", "clip range above 1, such as DAPO's 0.28; 0: clip_epsilon"),
            tenon::option<&Grpo::reference_kl>("reference_kl", 0.0, "[0,inf)",
                                               "weight of the divergence from the policy to its reference; 0: none")});

private:
    [[nodiscard]] Value gain(Value ratio, Value clipped, Value log_prob, Value a) const {
        if (form == "cispo") {
            return stop_gradient(clipped) * a * log_prob;
        }
        return form == "clamp" ? clipped * a : min(ratio * a, clipped * a);
    }
};

}  // namespace language
