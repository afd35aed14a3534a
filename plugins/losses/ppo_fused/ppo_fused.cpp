// SPDX-License-Identifier: Apache-2.0
// The objective ppo/ppo with its policy's loss as a fused kernel. The same loss written with ops is the kernel's body,
// which the host compares it with.
#include <array>
#include <span>
#include <tuple>

#include "clipped.hpp"
#include "tenon/actor_critic.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Ppo : tenon::ActorCritic {
    double target_kl = 0;

    void prepare(const tenon::Graph& g) const { prepare_advantage(g); }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);

        const auto [loss, divergence, clipped] = tenon::fused(
            "clipped",
            {actor.log_prob_by_head(batch["action"]), batch["log_prob"], advantage(g), g.option("clip_epsilon")},
            [](std::span<const tenon::Value> in) {
                const auto log_ratio = in[0] - in[1], ratio = exp(log_ratio);
                const auto a = beside(in[2], ratio), eps = in[3];
                const auto gain = min(ratio * a, clamp(ratio, 1 - eps, 1 + eps) * a);
                return std::array{-joint(gain), joint(ratio - 1 - log_ratio),
                                  average(cast(abs(ratio - 1) > eps, "real"))};
            });
        g.rows("policy", loss);
        value_rows(g);
        entropy_rows(g, actor);

        const auto kl = batch_mean(divergence);
        if (target_kl > 0) {
            g.control("stop_epochs", kl > 1.5 * target_kl);
            g.control("skip_update", kl > 1.5 * target_kl);
        }
        g.metric("approx_kl", kl);
        g.metric("clip_fraction", batch_mean(clipped));
    }

    static constexpr auto fused_kernels = std::tuple{tenon::kernel<ppo_fused::Clipped>("clipped", 4, 3)};

    static constexpr auto options = std::tuple_cat(
        tenon::ActorCritic::options, estimator_options("gae"),
        std::tuple{
            tenon::live("clip_epsilon", 0.2, "(0,1]", "clip range of the ratio; can be scheduled"),
            tenon::option<&Ppo::clip_value>("clip_value", 0.0, "[0,inf)", "clip range of the value; 0: no clipping"),
            tenon::option<&Ppo::target_kl>("target_kl", 0.0, "[0,inf)", "stops a batch at 1.5 times this; 0: never")});
};

}  // namespace

TENON_PLUGIN("ppo_fused", "0.1.0", tenon::objective<Ppo>("ppo", "ppo/ppo with a kernel of its own for the policy"));
