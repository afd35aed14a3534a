// SPDX-License-Identifier: Apache-2.0
// Curiosity: networks whose errors are a bonus for what is new, and the objectives that train them. The bonus is added
// to the reward of any other objective, as a stand-in for the column "next.reward".
#include <tuple>

#include "distillation.hpp"
#include "dynamics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

namespace {

using tenon::Graph;
using tenon::Value;

struct Rnd {
    double share = 1;

    // The mean over those rows that are drawn to be learnt from.
    void update(const Graph& g) const {
        const Value error = g.network("curiosity")(g.batch()).call<1>("error", {})[0];
        if (share < 1) {
            const Value learnt = where(random_uniform(error, "learnt") < share, 1.0, 0.0);
            g.rows("predictor", error * learnt * (batch_count(error) / max(batch_sum(learnt), 1.0)));
        } else {
            g.rows("predictor", error);
        }
        g.metric("bonus_error", batch_mean(error));
    }

    static constexpr auto options = std::tuple{tenon::option<&Rnd::share>(
        "share", 1.0, "(0,1]", "share of the rows, drawn in each update, that the predictor learns from")};
};

struct Icm {
    void update(const Graph& g) const {
        const auto curiosity = g.network("curiosity")(g.batch());
        const Value forward = curiosity.call<1>("error", {})[0];
        const Value inverse = curiosity.call<1>("inverse_error", {})[0];
        const Value weight = g.option("forward_weight");
        g.rows("forward", weight * forward);
        g.rows("inverse", (1 - weight) * inverse);
        g.metric("bonus_error", batch_mean(forward));
        g.metric("inverse_error", batch_mean(inverse));
    }

    static constexpr auto options = std::tuple{
        tenon::live("forward_weight", 0.2, "[0,1]", "weight of the forward model; the inverse model has the rest")};
};

}  // namespace

TENON_PLUGIN("curiosity", "0.1.0",
             tenon::objective<Rnd>("rnd", "random network distillation: learns to predict a random network"),
             tenon::objective<Icm>("icm", "intrinsic curiosity: learns what actions do, in features that actions tell"),
             tenon::policy_graph<curiosity::Distillation>(
                 "distillation", "a random network and its predictor, whose error is a bonus for what is new"),
             tenon::policy_graph<curiosity::Dynamics>(
                 "dynamics", "forward and inverse models, whose error is a bonus for new effects of actions"));
