// SPDX-License-Identifier: Apache-2.0
// Distances between predictions and targets, element by element.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include "tenon/region.hpp"

namespace tenon {
inline namespace TENON_SDK {

inline Value squared(In error) {
    return square(error);
}

// Huber's loss with delta = 1, as PyTorch's smooth_l1: half the square inside, |e| - 1/2 outside.
inline Value smooth_l1(In error) {
    const detail::CalledFrom caller(error.at);
    return composite("smooth_l1", 1, {error}, [](std::span<const Value> in) {
        const Value size = abs(in[0]);
        const Value inside = min(size, 1.0);
        return inside * (size - 0.5 * inside);
    });
}

// The distances that `distance` knows, as the choices of an option.
inline constexpr std::string_view kDistances = "huber|l2|l1";

// One of kDistances by name.
inline Value distance(const std::string& kind, In error) {
    const detail::CalledFrom caller(error.at);
    if (kind == "huber") {
        return smooth_l1(error);
    }
    return kind == "l1" ? abs(error) : squared(error);
}

// Normalised to mean 0 and standard deviation 1 over the rows; a deviation below 1e-4 counts as 1e-4.
inline Value normalised(In x) {
    const detail::CalledFrom caller(x.at);
    const Value value{x.id};
    return (value - batch_mean(value)) / max(batch_std(value), 1e-4);
}

// The minimum over the critics of an ensemble.
inline Value smallest(const std::string& role, Value values,
                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (!detail::has_members(values)) {
        throw InvalidArgument("it uses the minimum of several critics: [policy." + role +
                              "] needs a count of 2 or more");
    }
    return min_members(values);
}

}  // namespace TENON_SDK
}  // namespace tenon
