// SPDX-License-Identifier: Apache-2.0
// Learning whole distributions of returns: as probabilities of fixed atoms, or as quantiles.
#pragma once

#include <cstdint>
#include <source_location>

#include "tenon/nets.hpp"
#include "tenon/region.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Probabilities of values [.., n] as those of an evenly spaced support [n]: each goes to its two neighbours there, the
// nearer the more; what lies outside goes to the ends (Bellemare et al. 2017, eq. 7).
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

// The middles of n equal parts of [0, 1]: what share of returns lies below each of n quantiles.
inline Value quantile_levels(std::int64_t n, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return (count_up(n) + 0.5) / static_cast<double>(n);
}

// Quantile regression with Huber's loss (Dabney et al. 2018, eq. 10, with its corner at 1): of quantiles [.., n] and
// samples [.., m] of what they are to be the quantiles of, the sum over the first of the mean over the second.
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
