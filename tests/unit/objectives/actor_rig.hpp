// SPDX-License-Identifier: Apache-2.0
// Objectives of an actor that learns from collected batches, as their tests use them: four actions, a value network.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "by_hand.hpp"
#include "gradients.hpp"

namespace tenon::test {

inline Plan actor_plan(const std::string& objective, Options options) {
    const Options body = {{"hidden", std::vector<std::int64_t>{6}}};
    return {.columns = {real_column("observation", {3}), categorical_column("action", 4), real_column("log_prob"),
                        real_column("advantage"), real_column("value_target"), real_column("next.observation", {3}),
                        real_column("next.reward"), flag_column("next.terminated"), flag_column("next.done")},
            .networks = {{.role = "actor", .component = "mlp/categorical", .options = body},
                         {.role = "value", .component = "mlp/value", .options = body}},
            .objective = objective,
            .options = std::move(options)};
}

// Of all four actions.
inline Vector log_probs(const Network& actor, const FilledBatch& batch, std::size_t row) {
    return test::log_softmax(mlp(actor, actor.live, batch.row("observation", row)));
}

inline double log_prob(const Network& actor, const FilledBatch& batch, std::size_t row) {
    return log_probs(actor, batch, row)[static_cast<std::size_t>(batch["action"][row])];
}

inline double entropy_of(const Network& actor, const FilledBatch& batch, std::size_t row) {
    double out = 0;
    for (const double logp : log_probs(actor, batch, row)) {
        out -= std::exp(logp) * logp;
    }
    return out;
}

inline double value_of(const Network& value, const FilledBatch& batch, std::size_t row,
                       const char* key = "observation") {
    return mlp(value, value.live, batch.row(key, row))[0];
}

// To mean 0 and deviation 1.
inline Vector normalised_by_hand(Vector values) {
    const auto rows = static_cast<double>(values.size());
    double mean = 0;
    double squares = 0;
    for (const double v : values) {
        mean += v / rows;
    }
    for (double& v : values) {
        v -= mean;
        squares += v * v;
    }
    for (double& v : values) {
        v /= std::sqrt(squares / (rows - 1));
    }
    return values;
}

}  // namespace tenon::test
