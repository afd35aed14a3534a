// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/clip.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "base/simd/each_level.hpp"

namespace tenon {
namespace {

// Sixteen parallel sums: a fixed order that the compiler can vectorise. Slab sizes are multiples of it.
constexpr std::size_t kSums = 16;
using Sums = std::array<double, kSums>;

template <class Real>
TENON_SIMD_INLINE void add_squares(const Real* values, std::size_t count, Sums* to) {
    Sums sums = *to;
    for (std::size_t i = 0; i < count; i += kSums) {
        for (std::size_t k = 0; k < kSums; ++k) {
            const double x = static_cast<double>(values[i + k]);
            sums[k] += x * x;
        }
    }
    *to = sums;
}

template <class Real>
TENON_SIMD_INLINE void scale(Real* values, std::size_t count, Real factor) {
    for (std::size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

template <class Real>
void scale_gradient(Network& network, double coefficient) {
    const Real factor = static_cast<Real>(coefficient);
    // Parameter by parameter: a NaN factor must not reach the gaps, because nothing would clear them again.
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            simd::at_best_level<scale<Real>>(network.gradient.as<Real>() + parameter.offset, parameter.size, factor);
        }
    }
}

}  // namespace

double gradient_norm(std::span<Network* const> networks, DType real) {
    Sums sums{};
    for (const Network* network : networks) {
        const std::size_t count = network->layout.trainable_size;
        if (real == DType::kF64) {
            simd::at_best_level<add_squares<double>>(network->gradient.as<double>(), count, &sums);
        } else {
            simd::at_best_level<add_squares<float>>(network->gradient.as<float>(), count, &sums);
        }
    }
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    return std::sqrt(total);
}

void scale_gradients(std::span<Network* const> networks, DType real, double factor) {
    for (Network* network : networks) {
        if (real == DType::kF64) {
            scale_gradient<double>(*network, factor);
        } else {
            scale_gradient<float>(*network, factor);
        }
    }
}

void clip_gradients(std::span<Network* const> networks, DType real, double norm, double clip_norm) {
    const double coefficient = clip_norm / (norm + 1e-6);
    // As in torch, a NaN norm is applied, so that the step makes it visible.
    if (clip_norm <= 0 || coefficient >= 1) {
        return;
    }
    scale_gradients(networks, real, coefficient);
}

}  // namespace tenon
