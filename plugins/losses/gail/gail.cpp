// SPDX-License-Identifier: Apache-2.0
// The discriminator of generative adversarial imitation learning (Ho and Ermon 2016): it learns to tell an expert's
// frames from the policy's. Its value is a logit, above 0 for a frame that it takes for the expert's; as a stand-in for
// the reward it makes another objective imitate the expert.
#include <tuple>

#include "airl.hpp"
#include "penalty.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

namespace {

struct Discriminator : gail::Penalty {
    void update(const tenon::Graph& g) const {
        const auto discriminator = g.network("discriminator");
        const tenon::Value own = discriminator(g.batch()).value();
        const tenon::Value expert = discriminator(g.batch().under("expert.")).value();

        // Minus the log-likelihood of the right answer: softplus(x) is -log(1 - sigmoid(x)).
        g.rows("own", softplus(own) - entropy_bonus(g, own));
        g.rows("expert", softplus(-expert) - entropy_bonus(g, expert));
        if (gradient_penalty) {
            penalty_rows(g, discriminator);
        }
        g.metric("own_right", batch_mean(where(own < 0.0, 1.0, 0.0)));
        g.metric("expert_right", batch_mean(where(expert > 0.0, 1.0, 0.0)));
    }

    // The entropy of the answer keeps logits small, so that the reward does not run away.
    [[nodiscard]] static tenon::Value entropy_bonus(const tenon::Graph& g, const tenon::Value& logit) {
        return g.option("entropy") * (softplus(logit) - sigmoid(logit) * logit);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{tenon::live("entropy", 0.001, "[0,inf)", "weight of the entropy of the discriminator's answers")},
        gail::Penalty::options);
};

}  // namespace

TENON_PLUGIN("gail", "0.1.0",
             tenon::objective<Discriminator>("discriminator", "tells an expert's frames from the policy's"),
             tenon::policy_graph<gail::Airl>("airl", "a discriminator that has a reward and a potential in it"));
