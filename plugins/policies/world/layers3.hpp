// SPDX-License-Identifier: Apache-2.0
// The layers that all networks of the third Dreamer are made of (Hafner et al. 2023, arXiv 2301.04104): dense, RMS
// norm, SiLU. Weights begin with a deviation of 1 / sqrt(inputs) and biases with zeros.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "tenon/nets.hpp"
#include "tenon/norms.hpp"

namespace world {

using tenon::Graph;
using tenon::Value;

inline tenon::DenseInit fan_in(std::int64_t inputs, double scale = 1) {
    return {scale == 0 ? tenon::zeros() : tenon::normal(scale / std::sqrt(static_cast<double>(inputs))),
            tenon::zeros()};
}

inline Value dense3(const Graph& g, const std::string& name, Value x, std::int64_t width, double scale = 1) {
    return tenon::dense(g, name, x, width, fan_in(tenon::last_size(x), scale));
}

inline Value activated(const Graph& g, const std::string& norm, Value x) {
    return tenon::activate("silu", tenon::rms_norm(g, norm, x, 1e-4));
}

// Hidden layers NAME.0, NAME.1 and so on, all of the same width.
inline Value layers3(const Graph& g, const std::string& name, Value x, std::int64_t count, std::int64_t width) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string layer = name + "." + std::to_string(i);
        x = activated(g, layer + ".norm", dense3(g, layer, x, width));
    }
    return x;
}

}  // namespace world
