// SPDX-License-Identifier: Apache-2.0
// What heads, exploration and objectives read from the spec of an action: its bounds and the type of its elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <source_location>
#include <span>
#include <string>

#include "tenon/nets.hpp"
#include "tenon/options.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The bounds of a bounded action: low and high as numbers or vectors.
struct ActionBounds {
    Value low;
    Value high;

    [[nodiscard]] Value half(std::source_location at = std::source_location::current()) const {
        return detail::CalledFrom(at), (high - low) * 0.5;
    }
    // Maps any number into the bounds, by tanh. Rounding may exceed a bound by one unit in the last place, so the
    // result is clamped.
    [[nodiscard]] Value squash(Value pre, std::source_location at = std::source_location::current()) const {
        return detail::CalledFrom(at), clamp(low + (tanh(pre) + 1) * half(), low, high);
    }
};

inline ActionBounds bounds_of(const tn_spec& spec, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return {constants(std::span(spec.low, spec.bound_count)), constants(std::span(spec.high, spec.bound_count))};
}

// Whether all bounds are finite. Without a finite range, an action cannot be squashed or drawn uniformly, and noise
// cannot be scaled by it.
inline bool has_finite_bounds(const tn_spec& spec) {
    const auto finite = [](double bound) { return std::isfinite(bound); };
    return spec.kind == TN_SPEC_BOUNDED && spec.bound_count > 0 &&
           std::all_of(spec.low, spec.low + spec.bound_count, finite) &&
           std::all_of(spec.high, spec.high + spec.bound_count, finite);
}

// The bounds for a caller that requires finite ones; `what` says for what: "it draws actions between bounds".
inline ActionBounds finite_bounds_of(const tn_spec& spec, const std::string& what,
                                     std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (!has_finite_bounds(spec)) {
        throw InvalidArgument(what + ", but the env's action lacks bounds on one or both sides");
    }
    return bounds_of(spec);
}

// The action plus noise, clamped to its bounds. Noise is in units of half the range, or in the action's own units if
// the range is not finite.
inline Value moved(Value action, Value noise, const tn_spec& spec,
                   std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (spec.bound_count == 0) {
        return action + noise;
    }
    const ActionBounds bounds = bounds_of(spec);
    return clamp(action + (has_finite_bounds(spec) ? bounds.half() * noise : noise), bounds.low, bounds.high);
}

// "real", "int" or "bool", as cast takes it: one-hot and binary actions may be stored as any of them.
inline const char* kind_of(const tn_spec& spec) {
    const bool real = spec.dtype == TN_F32 || spec.dtype == TN_F64;
    return real ? "real" : spec.dtype == TN_BOOL ? "bool" : "int";
}

}  // namespace TENON_SDK
}  // namespace tenon
