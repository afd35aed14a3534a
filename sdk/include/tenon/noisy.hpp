// SPDX-License-Identifier: Apache-2.0
// Stochastic layers: dropout, and dense layers with noisy weights. They are deterministic in evaluation.
#pragma once

#include <cmath>
#include <cstdint>
#include <source_location>
#include <string>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Srivastava et al. 2014: in updates each element is 0 with the given probability, and the others are scaled up
// accordingly.
inline Value dropout(const std::string& name, Value x, double probability,
                     std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (!Graph::training() || probability == 0) {
        return x;
    }
    const Value kept = random_uniform(x, name.c_str()) >= probability;
    return where(kept, x / (1 - probability), 0.0);
}

// Fortunato et al. 2018, factorised noise: a dense layer whose weights and biases each have a learnt noise scale. The
// noise has one random number per input and one per output, the same for all rows, in updates and in acting with
// exploration. Parameters NAME.weight, NAME.bias, NAME.weight_sigma, NAME.bias_sigma.
inline Value noisy_dense(const Graph& g, const std::string& name, Value x, std::int64_t width, DenseInit init,
                         double sigma = 0.5, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t inputs = last_size(x);
    const auto begin = [&](std::int64_t size) { return constant(sigma / std::sqrt(static_cast<double>(size))); };
    Value weight = g.parameter((name + ".weight").c_str(), {width, inputs}, init.weight);
    Value bias = g.parameter((name + ".bias").c_str(), {width}, init.bias);
    const Value weight_sigma = g.parameter((name + ".weight_sigma").c_str(), {width, inputs}, begin(inputs));
    const Value bias_sigma = g.parameter((name + ".bias_sigma").c_str(), {width}, begin(width));
    if (Graph::drawing()) {
        const auto drawn = [&](Value like, const char* end) {
            const Value raw = random_normal(like, (name + end).c_str());
            return sign(raw) * sqrt(abs(raw));
        };
        const Value in = drawn(mean(weight, -2), ".in");
        const Value out = drawn(bias, ".out");
        weight = weight + weight_sigma * (unsqueeze(out) * unsqueeze(in, -2));
        bias = bias + bias_sigma * out;
    }
    return linear(x, weight, bias);
}

}  // namespace TENON_SDK
}  // namespace tenon
