// SPDX-License-Identifier: Apache-2.0
// What heads take from the spec of an action: its bounds and the kind of its elements.
#pragma once

#include <span>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The bounds of a bounded action as low and high, numbers or vectors.
struct ActionBounds {
    Value low;
    Value high;

    [[nodiscard]] Value half() const { return (high - low) * 0.5; }
    // Any number into the bounds, by tanh. Rounding may lead past a bound by its last bit, and no env is to see that.
    [[nodiscard]] Value squash(Value pre) const { return clamp(low + (tanh(pre) + 1) * half(), low, high); }
};

inline ActionBounds bounds_of(const tn_spec& spec) {
    return {constants(std::span(spec.low, spec.bound_count)), constants(std::span(spec.high, spec.bound_count))};
}

// "real", "int" or "bool", as cast takes it: elements of a one-hot or binary action may be stored as any of them.
inline const char* kind_of(const tn_spec& spec) {
    const bool real = spec.dtype == TN_F32 || spec.dtype == TN_F64;
    return real ? "real" : spec.dtype == TN_BOOL ? "bool" : "int";
}

}  // namespace TENON_SDK
}  // namespace tenon
