// SPDX-License-Identifier: Apache-2.0
// What heads, exploration and objectives take from the spec of an action: its bounds and the kind of its elements.
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

// The bounds of a bounded action as low and high, numbers or vectors.
struct ActionBounds {
    Value low;
    Value high;

    [[nodiscard]] Value half(std::source_location at = std::source_location::current()) const {
        return detail::CalledFrom(at), (high - low) * 0.5;
    }
    // Any number into the bounds, by tanh. Rounding may lead past a bound by its last bit, and no env is to see that.
    [[nodiscard]] Value squash(Value pre, std::source_location at = std::source_location::current()) const {
        return detail::CalledFrom(at), clamp(low + (tanh(pre) + 1) * half(), low, high);
    }
};

inline ActionBounds bounds_of(const tn_spec& spec, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return {constants(std::span(spec.low, spec.bound_count)), constants(std::span(spec.high, spec.bound_count))};
}

// Whether all of them are numbers: an action may be without bounds on one side or on both, and then there is nothing to
// squash it into, to draw it between, or to count by.
inline bool has_finite_bounds(const tn_spec& spec) {
    const auto finite = [](double bound) { return std::isfinite(bound); };
    return spec.kind == TN_SPEC_BOUNDED && spec.bound_count > 0 &&
           std::all_of(spec.low, spec.low + spec.bound_count, finite) &&
           std::all_of(spec.high, spec.high + spec.bound_count, finite);
}

// Those of who needs them; `what` is what for: "it draws actions between bounds".
inline ActionBounds finite_bounds_of(const tn_spec& spec, const std::string& what,
                                     std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (!has_finite_bounds(spec)) {
        throw InvalidArgument(what + ", and the env's action has none, or none on one side");
    }
    return bounds_of(spec);
}

// The action with noise in halves of the range between its bounds, or, without two finite ones, in its own units; back
// within whatever bounds there are.
inline Value moved(Value action, Value noise, const tn_spec& spec,
                   std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (spec.bound_count == 0) {
        return action + noise;
    }
    const ActionBounds bounds = bounds_of(spec);
    return clamp(action + (has_finite_bounds(spec) ? bounds.half() * noise : noise), bounds.low, bounds.high);
}

// "real", "int" or "bool", as cast takes it: elements of a one-hot or binary action may be stored as any of them.
inline const char* kind_of(const tn_spec& spec) {
    const bool real = spec.dtype == TN_F32 || spec.dtype == TN_F64;
    return real ? "real" : spec.dtype == TN_BOOL ? "bool" : "int";
}

}  // namespace TENON_SDK
}  // namespace tenon
