// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation with a clipped ratio (Schulman et al. 2017, eq. 7; clip.hpp has other forms). Advantages
// use the value network at the time the batch is prepared; an update reads parameters as of its start.
#include "clip.hpp"
#include "kl.hpp"
#include "tenon/logprob_gap.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Ppo : ppo::Clip, tenon::LogprobGap {
    double target_kl = 0;

    void prepare(const tenon::Graph& g) const {
        prepare_advantage(g);
        prepare_gap(g);
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);
        const auto eps = g.option("clip_epsilon"), better = advantage(g);

        const auto log_ratio = actor.log_prob_by_head(batch["action"]) - batch["log_prob"], ratio = exp(log_ratio);
        const auto a = beside(better, ratio);
        g.rows("policy", -joint(gain(ratio, a, eps)));
        value_rows(g);
        entropy_rows(g, actor);
        reference_rows(g, actor);

        const auto kl = batch_mean(joint(ratio - 1 - log_ratio));
        if (target_kl > 0) {
            g.control("stop_epochs", kl > 1.5 * target_kl);
            g.control("skip_update", kl > 1.5 * target_kl);
        }
        g.metric("approx_kl", kl);
        g.metric("clip_fraction", batch_mean(average(abs(ratio - 1) > eps)));
    }

    static constexpr auto options = std::tuple_cat(
        ppo::Clip::options, estimator_options("gae"), tenon::LogprobGap::options,
        std::tuple{
            tenon::option<&Ppo::clip_value>("clip_value", 0.0, "[0,inf)", "clip range of the value; 0: no clipping"),
            tenon::option<&Ppo::target_kl>("target_kl", 0.0, "[0,inf)", "stops a batch at 1.5 times this; 0: never")});
};

}  // namespace

TENON_PLUGIN("ppo", "0.1.0", tenon::objective<Ppo>("ppo", "proximal policy optimisation"),
             tenon::objective<ppo::Kl>("kl", "proximal policy optimisation with a penalty on the divergence"));
