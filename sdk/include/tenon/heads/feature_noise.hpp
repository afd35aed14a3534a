// SPDX-License-Identifier: Apache-2.0
// Noise that is a function of the state (Raffin and Stulp 2020, "generalised state-dependent exploration"): what is
// added to an action is its row of a random matrix times features of the state, so that a state that comes back finds
// the same noise until the matrix is drawn again.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct FeatureNoise {
    Value scale;       // [.., n], the standard deviation over all matrices
    Value noise = {};  // [.., n] of the lane's own matrix, in those; in acting only
};

struct FeatureNoiseOptions {
    double initial_log_scale = -2;  // log of the standard deviations of the matrix's elements
    bool full = true;               // one for each element; otherwise one for each feature
    bool learns_features = false;   // whether the noise's part of a gradient reaches them
    std::int64_t sample_freq = 0;   // steps after which the matrix is drawn again; 0: as an episode begins
};

namespace detail {

// The lane's matrix [n, m] of standard normal numbers, which it remembers: `age` counts the steps since it was drawn
// and is 0 where an episode begins.
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

// For n elements of an action, from features [.., m], with the parameter log_scale. What acting draws is kept by the
// lane; an objective that wants a draw makes it of `scale`, which is what all matrices together amount to.
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
