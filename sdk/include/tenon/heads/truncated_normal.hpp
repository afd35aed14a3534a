// SPDX-License-Identifier: Apache-2.0
// A normal distribution for each element, truncated to the action's bounds and renormalised.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <source_location>

#include "tenon/heads/action.hpp"
#include "tenon/heads/normal.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Requires locations within the bounds: the remaining probability is then a difference of two numbers of opposite
// signs, which loses no precision. Draws use the inverse of the distribution function, with a resolution of 2^-23 of
// the whole normal.
struct TruncatedNormal {
    Value loc;    // [.., n], within the bounds
    Value scale;  // [.., n] or [n], positive
    ActionBounds bounds;
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), clamp(loc, bounds.low, bounds.high); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), loc + scale * cut().first; }
    [[nodiscard]] Value log_prob(In action) const {
        return detail::CalledFrom(at), sum(log_density((action - loc) / scale, cut()));
    }
    [[nodiscard]] Value entropy() const {
        const detail::CalledFrom caller(at);
        const Cut here = cut();
        return sum(log(scale) + log(here.share) + 0.5 * std::log(2 * std::numbers::pi) + 0.5 * here.second);
    }
    [[nodiscard]] Value kl(const TruncatedNormal& other) const {
        const detail::CalledFrom caller(at);
        const Cut here = cut();
        const Value shift = loc - other.loc;
        const Value square_error = square(scale) * here.second + 2 * scale * shift * here.first + square(shift);
        const Value normalisers = log(other.scale / scale) + log(other.cut().share / here.share);
        return sum(normalisers + 0.5 * (square_error / square(other.scale) - here.second));
    }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const double most = 1 - 1.0 / (1 << 23);  // the largest argument with a finite erfinv in both dtypes
        const Cut here = cut();
        const Value place = here.erf_low + random_uniform(loc) * (here.erf_high - here.erf_low);
        const Value noise = clamp(std::numbers::sqrt2 * erfinv(clamp(place, -most, most)), here.low, here.high);
        return {clamp(loc + scale * noise, bounds.low, bounds.high), sum(log_density(noise, here))};
    }

    static constexpr std::array kStored = {Stored{"action_loc", &TruncatedNormal::loc},
                                           Stored{"action_scale", &TruncatedNormal::scale}};

private:
    // The standard normal distribution between the standardised bounds.
    struct Cut {
        Value low, high;
        Value erf_low, erf_high;
        Value share;          // the probability between the bounds
        Value first, second;  // moments
    };
    [[nodiscard]] Cut cut() const {
        Cut out;
        out.low = (bounds.low - loc) / scale;
        out.high = (bounds.high - loc) / scale;
        out.erf_low = erf(out.low * (1 / std::numbers::sqrt2));
        out.erf_high = erf(out.high * (1 / std::numbers::sqrt2));
        out.share = 0.5 * (out.erf_high - out.erf_low);
        const Value at_low = exp(standard_log_density(out.low)) / out.share;
        const Value at_high = exp(standard_log_density(out.high)) / out.share;
        // at_low - at_high, in a form that does not cancel if the bounds are close to each other
        const Value apart = 0.5 * (out.high - out.low) * (out.high + out.low);
        const Value size = where(apart >= 0, apart, -apart);
        out.first = where(apart >= 0, at_low, -at_high) * -expm1(-size);
        out.second = 1 + out.low * at_low - out.high * at_high;
        return out;
    }
    [[nodiscard]] Value log_density(Value noise, const Cut& here) const {
        return standard_log_density(noise) - log(scale) - log(here.share);
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
