// SPDX-License-Identifier: Apache-2.0
// The common part of objectives whose actor learns from collected batches: the advantages that they prepare
// (advantages.hpp), the loss of the network "value", the entropy bonus of the network "actor", and the options of
// these.
#pragma once

#include <source_location>
#include <string>
#include <tuple>

#include "tenon/advantages.hpp"
#include "tenon/build.hpp"
#include "tenon/losses.hpp"
#include "tenon/options.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct ActorCritic : Advantages {
    std::string value_loss;
    std::string entropy;

    // With clip_value above 0, a value gains nothing from moving further than this away from its value when the batch
    // was prepared.
    void value_rows(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Value v = g.network("value")(batch).value();
        const Value target = as_put_out(g, batch["value_target"]);
        Value loss = distance(value_loss, v - target);
        if (clip_value > 0) {
            const Value before = as_put_out(g, value_before(g));
            const Value near = before + clamp(v - before, -clip_value, clip_value);
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
        Advantages::options,
        std::tuple{
            live("value_coefficient", 1.0, "[0,inf)", "weight of the value loss"),
            live("entropy_coefficient", 0.01, "[0,inf)", "weight of the entropy bonus"),
            option<&ActorCritic::entropy>("entropy", "exact", "exact|sampled",
                                          "sampled: minus the log-probability of a sample, for actors without entropy"),
            option<&ActorCritic::value_loss>("value_loss", "huber", kDistances,
                                             "distance of a value from its target")});
    // All options of an objective whose advantages are GAE's by default.
    static constexpr auto gae_options = std::tuple_cat(options, Advantages::estimator_options("gae"));
};

}  // namespace TENON_SDK
}  // namespace tenon
