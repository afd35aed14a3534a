// SPDX-License-Identifier: Apache-2.0
// The default head for each kind of action, and the name of that kind for messages.
#pragma once

#include <algorithm>
#include <cmath>

#include "tenon/heads/action.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Suited {
    const char* kind;  // "a bounded action"
    const char* head;  // "tanh_normal"; null if there is none
};

inline bool has_any_bound(const tn_spec& spec) {
    const auto finite = [](double bound) { return std::isfinite(bound); };
    return std::any_of(spec.low, spec.low + spec.bound_count, finite) ||
           std::any_of(spec.high, spec.high + spec.bound_count, finite);
}

inline Suited suited(const tn_spec& spec) {
    switch (spec.kind) {
        case TN_SPEC_CATEGORICAL:
            return {"a categorical action", "categorical"};
        case TN_SPEC_ONE_HOT:
            return {"a one-hot action", "one_hot"};
        case TN_SPEC_MULTI_CATEGORICAL:
            return {"a multi-categorical action", "multi_categorical"};
        case TN_SPEC_BINARY:
            return {"a binary action", "bernoulli"};
        default:
            break;
    }
    if (has_finite_bounds(spec)) {
        return {"a bounded action", "tanh_normal"};
    }
    return has_any_bound(spec) ? Suited{"an action with bounds on one side", nullptr}
                               : Suited{"an action without bounds", "normal"};
}

}  // namespace TENON_SDK
}  // namespace tenon
