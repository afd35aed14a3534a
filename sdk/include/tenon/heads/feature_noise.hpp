// SPDX-License-Identifier: Apache-2.0
// State-dependent exploration (Raffin and Stulp 2020, "generalised state-dependent exploration"): the noise of an
// action is a random matrix times features of the state. The same state gets the same noise until the matrix is drawn
// again.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct FeatureNoise {
    Value scale;       // [.., n], the standard deviation over random matrices
    Value noise = {};  // [.., n] noise of the lane's own matrix, in units of scale; only in acting
};

struct FeatureNoiseOptions {
    double initial_log_scale = -2;  // log of the standard deviations of the matrix's elements
    bool full = true;               // one per element of the matrix; otherwise one per feature
    bool learns_features = false;   // whether gradients of the noise reach the features
    std::int64_t sample_freq = 0;   // steps after which the matrix is drawn again; 0: at the start of an episode
};

namespace detail {

// The lane's matrix [n, m] of standard normal numbers, which it keeps in its memory. `age` counts the steps since the
// matrix was drawn and is 0 where an episode begins.
inline Value lane_matrix(const Graph& g, std::int64_t n, std::int64_t m, std::int64_t sample_freq) {
    const Value age = g.memory("noise_age", {});
    const Value before = g.memory("noise", {n, m});
    const Value now = where(unsqueeze(unsqueeze(age <= 0.0)), random_normal(before, "matrix"), before);
    g.remember("noise", now);
    const auto freq = static_cast<double>(sample_freq);
    g.remember("noise_age", sample_freq > 0 ? where(age + 1.0 >= freq, 0.0, age + 1.0) : max(age, 1.0));
    return now;
}

}  // namespace detail

// For n elements of an action, from features [.., m], with the parameter log_scale. Acting uses the lane's matrix. An
// objective that needs a draw uses `scale`, the standard deviation over all matrices.
inline FeatureNoise feature_noise(const Graph& g, Value features, std::int64_t n, const FeatureNoiseOptions& options,
                                  std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t m = last_size(features);
    const Value seen = options.learns_features ? features : stop_gradient(features);
    const Value deviations =
        exp(g.parameter("log_scale", {options.full ? n : 1, m}, constant(options.initial_log_scale)));
    Value variance = linear(square(seen), square(deviations));
    if (!options.full) {
        variance = concat(std::vector<In>(static_cast<std::size_t>(n), variance));
    }
    FeatureNoise out{.scale = sqrt(variance + 1e-6)};
    if (Graph::acting()) {
        const Value matrix = deviations * detail::lane_matrix(g, n, m, options.sample_freq);
        out.noise = sum(unsqueeze(seen, -2) * matrix) / out.scale;
    }
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
