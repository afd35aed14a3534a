// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/clip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/simd/each_level.hpp"
#include "compute/parameters/shared_pass.hpp"
#include "compute/parameters/squares.hpp"

namespace tenon {
namespace {

// Parallel sums, in an order that the compiler can vectorise.
using Sums = std::array<double, kSquareSums>;

template <class Real>
TENON_SIMD_INLINE void add_squares(const Real* values, std::size_t count, Sums* to) {
    Sums sums = *to;
    for (std::size_t i = 0; i < count; i += kSquareSums) {
        for (std::size_t k = 0; k < kSquareSums; ++k) {
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
void add_squares_of(const Network& network, Sums& sums, Pool* pool) {
    const Real* values = network.gradient.as<Real>();
    const std::size_t size = network.layout.trainable_size;
    const std::size_t parts = square_parts(size);
    if (parts <= 1) {
        simd::at_best_level<add_squares<Real>>(values, size, &sums);
        return;
    }
    const std::size_t part = square_part(size);
    std::vector<Sums> of_parts(parts);
    const auto add_parts = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            const std::size_t from = i * part;
            simd::at_best_level<add_squares<Real>>(values + from, std::min(part, size - from), &of_parts[i]);
        }
    };
    const std::size_t threads = pool == nullptr ? 1 : pool->threads();
    in_parts(pool, parts, (parts + threads - 1) / threads, add_parts);
    for (const Sums& each : of_parts) {
        std::ranges::transform(sums, each, sums.begin(), std::plus());
    }
}

template <class Real>
void scale_gradient(Network& network, double coefficient, Pool* pool) {
    const Real factor = static_cast<Real>(coefficient);
    each_trainable(network, pool, [&](std::size_t at, std::size_t count) {
        simd::at_best_level<scale<Real>>(network.gradient.as<Real>() + at, count, factor);
    });
}

}  // namespace

double gradient_norm(std::span<Network* const> networks, DType real, Pool* pool) {
    Sums sums{};
    for (const Network* network : networks) {
        real == DType::kF64 ? add_squares_of<double>(*network, sums, pool)
                            : add_squares_of<float>(*network, sums, pool);
    }
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    return std::sqrt(total);
}

void scale_gradients(std::span<Network* const> networks, DType real, double factor, Pool* pool) {
    for (Network* network : networks) {
        real == DType::kF64 ? scale_gradient<double>(*network, factor, pool)
                            : scale_gradient<float>(*network, factor, pool);
    }
}

void clip_gradients(std::span<Network* const> networks, DType real, double norm, double clip_norm, Pool* pool) {
    const double coefficient = clip_norm / (norm + 1e-6);
    // As in torch, a NaN norm is applied, so that the step makes it visible.
    if (clip_norm <= 0 || coefficient >= 1) {
        return;
    }
    scale_gradients(networks, real, coefficient, pool);
}

}  // namespace tenon
