// SPDX-License-Identifier: Apache-2.0
// An independent normal distribution for each element, without bounds.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <source_location>

#include "tenon/heads/stored.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The log-density of standard normal numbers, element by element.
inline Value standard_log_density(Value noise, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return -0.5 * square(noise) - 0.5 * std::log(2 * std::numbers::pi);
}

struct Normal {
    Value loc;         // [.., n]
    Value scale;       // [.., n] or [n], positive
    Value noise = {};  // standard normal numbers for a draw; if empty, new ones
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value mode() const { return loc; }
    [[nodiscard]] Value mean() const { return loc; }
    [[nodiscard]] Value log_prob(In action) const { return detail::CalledFrom(at), density((action - loc) / scale); }
    [[nodiscard]] Value entropy() const {
        return detail::CalledFrom(at), sum(log(scale) + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e));
    }
    [[nodiscard]] Value kl(const Normal& other) const {
        const detail::CalledFrom caller(at);
        const Value ratio = scale / other.scale;
        return sum(0.5 * (square(ratio) - 1 + square((loc - other.loc) / other.scale)) - log(ratio));
    }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Value drawn = noise.id != 0 ? noise : random_normal(loc);
        return {loc + scale * drawn, density(drawn)};
    }

    static constexpr std::array kStored = {Stored{"action_loc", &Normal::loc}, Stored{"action_scale", &Normal::scale}};

private:
    [[nodiscard]] Value density(Value drawn) const { return sum(standard_log_density(drawn) - log(scale)); }
};

}  // namespace TENON_SDK
}  // namespace tenon
