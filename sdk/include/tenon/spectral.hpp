// SPDX-License-Identifier: Apache-2.0
// Dense layers whose largest singular value is 1. After Miyato et al., "Spectral normalization for generative
// adversarial networks", 2018.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The weight divided by its largest singular value, which one step of power iteration estimates from NAME_u, as
// PyTorch's spectral_norm in training. An update stores the result of the step. Elsewhere the step is repeated and
// discarded, so that an untrained network is normalised as well. No gradient passes through the step.
inline Value spectral_weight(const Graph& g, const std::string& name, Value weight, std::int64_t width,
                             std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const auto unit = [](Value x) { return x / unsqueeze(max(sqrt(sum(square(x))), 1e-12)); };
    const std::string state = name + "_u";
    const Value fixed = stop_gradient(weight);
    const Value before = g.state(state.c_str(), {width}, normal(1));
    const Value right = unit(linear(before, transpose(fixed)));
    const Value left = unit(linear(right, fixed));
    if (Graph::training()) {
        g.set(state.c_str(), left);
    }
    return weight / unsqueeze(unsqueeze(sum(left * linear(right, weight))));
}

// A dense layer (nets.hpp) with spectral_weight.
inline Value spectral_dense(const Graph& g, const std::string& name, Value x, std::int64_t width, DenseInit init,
                            std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::string weight_name = name + ".weight";
    const Value weight = g.parameter(weight_name.c_str(), {width, last_size(x)}, init.weight);
    const Value bias = g.parameter((name + ".bias").c_str(), {width}, init.bias);
    return linear(x, spectral_weight(g, weight_name, weight, width), bias);
}

}  // namespace TENON_SDK
}  // namespace tenon
