// SPDX-License-Identifier: Apache-2.0
// The common part of objectives whose actor learns from collected batches: the advantages that they prepare, the loss
// of the network "value", the entropy bonus of the network "actor", and the options of these.
#pragma once

#include <source_location>
#include <string>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"
#include "tenon/options.hpp"
#include "tenon/value_norm.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct ActorCritic : ValueNorm {
    std::string value_loss;
    std::string entropy;
    bool normalise = false;

    // The columns that update reads: the advantage of each action and the target of the value network.
    void write_advantage(const Graph& g, Value advantage, Value target,
                         std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        follow(g, target);
        g.write("advantage", advantage);
        g.write("value_target", target);
        const Value unexplained = square(batch_std(advantage)) / max(square(batch_std(target)), 1e-12);
        g.metric("explained_variance", 1 - unexplained);
    }

    // Uses the value network as it is when the batch is prepared, and the options gamma and lambda.
    void prepare_gae(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Batch next = batch.next();
        const Value v = value_of(g, batch);
        const Value ahead = value_of(g, next);
        const Value advantage =
            gae(next["reward"], v, ahead, next["terminated"], next["done"], g.option("gamma"), g.option("lambda"));
        write_advantage(g, advantage, advantage + v);
    }

    // The same by V-trace (Espeholt et al. 2018), which corrects for actions of another policy than the present one:
    // uses both networks as they are when the batch is prepared, and the options gamma, rho_max and c_max.
    void prepare_vtrace(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Batch next = batch.next();
        const Value ratio = exp(g.network("actor")(batch).log_prob(batch["action"]) - joint(batch["log_prob"]));
        const Value rho = min(ratio, g.option("rho_max"));
        const Value c = min(ratio, g.option("c_max"));
        const Value v = value_of(g, batch);
        const Value ahead = value_of(g, next);
        const Value reward = next["reward"], terminated = next["terminated"], gamma = g.option("gamma");
        const Value target = vtrace(reward, v, ahead, terminated, next["done"], rho, c, gamma);
        write_advantage(g, vtrace_advantage(reward, v, ahead, terminated, target, rho, c, gamma), target);
        g.metric("ratio", batch_mean(ratio));
    }

    [[nodiscard]] Value advantage(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Value a = g.batch()["advantage"];
        return normalise ? normalised(a) : a;
    }

    // With clip above 0, a value gains nothing from moving further than clip away from its value when the batch was
    // prepared.
    void value_rows(const Graph& g, double clip = 0, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Value v = g.network("value")(batch).value();
        const Value returns = batch["value_target"];
        const Value target = as_put_out(g, returns);
        Value loss = distance(value_loss, v - target);
        if (clip > 0) {
            const Value before = as_put_out(g, returns - batch["advantage"]);
            const Value near = before + clamp(v - before, -clip, clip);
            loss = max(loss, distance(value_loss, near - target));
        }
        g.rows("value", g.option("value_coefficient") * loss);
    }

    void entropy_rows(const Graph& g, const Bound& actor,
                      std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Value spread = entropy == "sampled" ? -actor.sample().log_prob : actor.entropy();
        g.rows("entropy", -g.option("entropy_coefficient") * spread);
        g.metric("entropy", batch_mean(spread));
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            live("gamma", 0.99, "[0,1]", "discount"),
            live("value_coefficient", 1.0, "[0,inf)", "weight of the value loss"),
            live("entropy_coefficient", 0.01, "[0,inf)", "weight of the entropy bonus"),
            option<&ActorCritic::entropy>("entropy", "exact", "exact|sampled",
                                          "sampled: minus the log-probability of a sample, for actors without entropy"),
            option<&ActorCritic::normalise>("normalise_advantage", false, "",
                                            "normalise to mean 0 and deviation 1 in each minibatch"),
            option<&ActorCritic::value_loss>("value_loss", "huber", "huber|l2", "distance of a value from its target")},
        ValueNorm::options);
    static constexpr auto gae_options = std::tuple_cat(
        options, std::tuple{live("lambda", 0.95, "[0,1]", "lambda of generalised advantage estimation")});
};

}  // namespace TENON_SDK
}  // namespace tenon
