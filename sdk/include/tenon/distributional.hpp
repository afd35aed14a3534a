// SPDX-License-Identifier: Apache-2.0
// Distributional value learning: probabilities of fixed atoms, or quantiles.
#pragma once

#include <cstdint>
#include <source_location>

#include "tenon/nets.hpp"
#include "tenon/region.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Projects probabilities of values [.., n] onto an evenly spaced support [n]. Each probability is split between the two
// neighbouring atoms by distance; values outside the support go to its ends (Bellemare et al. 2017, eq. 7).
inline Value project(In probabilities, In values, In support) {
    const detail::CalledFrom caller(probabilities.at);
    const std::int64_t n = last_size(Value{support.id});
    return composite("project", 1, {probabilities, values, support}, [n](std::span<const Value> in) {
        const Value low = squeeze(slice(in[2], 0, 1));
        const Value high = squeeze(slice(in[2], n - 1, 1));
        const Value step = (high - low) / static_cast<double>(n - 1);
        const Value near = 1 - abs(unsqueeze(clamp(in[1], low, high)) - unsqueeze(in[2], -2)) / step;  // [.., n, n]
        return sum(unsqueeze(in[0]) * clamp(near, 0, 1), -2);
    });
}

// The midpoints of n equal parts of [0, 1]: the quantile levels.
inline Value quantile_levels(std::int64_t n, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return (count_up(n) + 0.5) / static_cast<double>(n);
}

// The quantile Huber loss (Dabney et al. 2018, eq. 10, with kappa = 1) of predicted quantiles [.., n] and target
// samples [.., m]: summed over quantiles, averaged over samples.
inline Value quantile_huber(In quantiles, In samples) {
    const detail::CalledFrom caller(quantiles.at);
    const std::int64_t n = last_size(Value{quantiles.id});
    return composite("quantile_huber", 1, {quantiles, samples}, [n](std::span<const Value> in) {
        const Value error = unsqueeze(in[1]) - unsqueeze(in[0], -2);  // [.., m, n]
        const Value size = abs(error);
        const Value inside = min(size, 1.0);
        const Value weight = abs(unsqueeze(quantile_levels(n), -2) - (error < 0));
        return sum(mean(weight * inside * (size - 0.5 * inside), -2));
    });
}

}  // namespace TENON_SDK
}  // namespace tenon
