// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation with a clipped ratio (Schulman et al. 2017, eq. 7) and generalised advantage estimation.
// Advantages are of the value network as it is when the batch is prepared; an update reads parameters as of its start.
#include <string>

#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Ppo {
    bool normalise = false;
    double clip_value = 0;
    std::string kind;

    void prepare(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto v = g.network("value")(batch).value(), ahead = g.network("value")(next).value();
        const auto advantage = tenon::gae(next["reward"], v, ahead, next["terminated"], next["done"], g.option("gamma"),
                                          g.option("lambda"));
        g.write("advantage", advantage);
        g.write("value_target", advantage + v);
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);
        const auto eps = g.option("clip_epsilon"), a = batch["advantage"], target = batch["value_target"];

        const auto advantage = normalise ? tenon::normalised(a) : a;
        const auto log_ratio = actor.log_prob(batch["action"]) - batch["log_prob"], ratio = exp(log_ratio);
        g.rows("policy", -min(ratio * advantage, clamp(ratio, 1 - eps, 1 + eps) * advantage));

        const auto v = g.network("value")(batch).value(), before = target - a;
        const auto near = clip_value > 0 ? before + clamp(v - before, -clip_value, clip_value) : v;
        const auto worse = max(tenon::distance(kind, v - target), tenon::distance(kind, near - target));
        g.rows("value", g.option("value_coefficient") * worse);
        g.rows("entropy", -g.option("entropy_coefficient") * actor.entropy());
        g.metric("approx_kl", batch_mean(ratio - 1 - log_ratio));
        g.metric("clip_fraction", batch_mean(abs(ratio - 1) > eps));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount"),
        tenon::live("lambda", 0.95, "[0,1]", "decay of the advantage's trace"),
        tenon::live("clip_epsilon", 0.2, "(0,1]", "how far the ratio may move"),
        tenon::live("value_coefficient", 1.0, "[0,inf)", "weight of the value loss"),
        tenon::live("entropy_coefficient", 0.01, "[0,inf)", "weight of the entropy bonus"),
        tenon::option<&Ppo::normalise>("normalise_advantage", false, "", "to mean 0 and deviation 1 in each minibatch"),
        tenon::option<&Ppo::clip_value>("clip_value", 0.0, "[0,inf)", "how far a value may move in a batch; 0: any"),
        tenon::option<&Ppo::kind>("value_loss", "huber", "huber|l2", "distance of a value from its target")};
};

}  // namespace

TENON_PLUGIN("ppo", "0.1.0", tenon::objective<Ppo>("ppo", "proximal policy optimisation"));
