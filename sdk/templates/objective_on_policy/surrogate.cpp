// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimisation (Schulman et al. 2017) in its smallest form. The ratio of the new to the old probability
// of an action is clipped, so that the policy stays near the one that has collected the batch.
#include <tenon/estimators.hpp>
#include <tenon/losses.hpp>
#include <tenon/objective.hpp>
#include <tenon/plugin.hpp>

struct Surrogate {
    // Once for each collected batch, [time, lanes]: what all its updates read.
    void prepare(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto critic = g.network("value");
        const auto value = critic(batch).value();
        const auto advantage = tenon::gae(next["reward"], value, critic(next).value(), next["terminated"], next["done"],
                                          g.option("gamma"), g.option("lambda"));
        g.write("advantage", advantage);
        g.write("value_target", advantage + value);
    }

    // On each minibatch, [rows]. Acting has stored log_prob.
    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);
        const auto ratio = exp(actor.log_prob(batch["action"]) - batch["log_prob"]);
        const auto advantage = tenon::normalised(batch["advantage"]);
        const auto range = g.option("range");

        g.rows("policy", -min(ratio * advantage, clamp(ratio, 1 - range, 1 + range) * advantage));
        g.rows("value", 0.5 * square(g.network("value")(batch).value() - batch["value_target"]));
        g.rows("entropy", -g.option("entropy_coefficient") * actor.entropy());
        g.metric("clip_fraction", batch_mean(abs(ratio - 1) > range));
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.98, "[0,1]", "discount of the next value"),
                   tenon::live("lambda", 0.95, "[0,1]", "decay of the advantage's trace"),
                   tenon::live("range", 0.2, "(0,1)", "by how much the ratio may differ from 1"),
                   tenon::live("entropy_coefficient", 0.0, "[0,inf)", "weight of the entropy bonus")};
};

TENON_PLUGIN("surrogate", "0.1.0", tenon::objective<Surrogate>("surrogate", "PPO in its smallest form"));
