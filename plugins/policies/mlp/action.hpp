// SPDX-License-Identifier: Apache-2.0
// Which head suits which action: the spec of an action that a head is for, or a refusal that names the head that is.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tenon/heads/action.hpp"

namespace mlp {

struct Suited {
    const char* kind;  // "a bounded action"
    const char* head;
};

inline bool has_any_bound(const tn_spec& spec) {
    const auto finite = [](double bound) { return std::isfinite(bound); };
    return std::any_of(spec.low, spec.low + spec.bound_count, finite) ||
           std::any_of(spec.high, spec.high + spec.bound_count, finite);
}

inline Suited suited(const tn_spec& spec) {
    switch (spec.kind) {
        case TN_SPEC_CATEGORICAL:
            return {"a categorical action", "mlp/categorical"};
        case TN_SPEC_ONE_HOT:
            return {"a one-hot action", "mlp/one_hot"};
        case TN_SPEC_MULTI_CATEGORICAL:
            return {"a multi-categorical action", "mlp/multi_categorical"};
        case TN_SPEC_BINARY:
            return {"a binary action", "mlp/bernoulli"};
        default:
            break;
    }
    if (tenon::has_finite_bounds(spec)) {
        return {"a bounded action", "mlp/tanh_normal"};
    }
    return has_any_bound(spec) ? Suited{"an action with bounds on one side", nullptr}
                               : Suited{"an action without bounds", "mlp/normal"};
}

// The spec of the env's action, whose rows must have `rank` dimensions and be what `needs` says; null where the env has
// none, which has been told.
inline const tn_spec* action_for(const tenon::Graph& g, const std::string& component, const std::string& needs,
                                 std::uint32_t rank) {
    const tn_spec* action = g.spec("action");
    if (action == nullptr) {
        return nullptr;
    }
    const Suited here = suited(*action);
    if (needs != here.kind) {
        throw tenon::InvalidArgument(component + " needs " + needs + "; " +
                                     (here.head == nullptr
                                          ? std::string("this is ") + here.kind
                                          : std::string(here.head) + " is for " + here.kind + " like this one"));
    }
    if (action->rank != rank) {
        throw tenon::InvalidArgument(component + " needs " + needs +
                                     (rank == 0 ? " without dimensions" : " with one dimension") +
                                     ", and this one has " + std::to_string(action->rank));
    }
    return action;
}

// The spec of the env's action for networks that value each action by itself; null where the env has none, which has
// been told.
inline const tn_spec* categories_for(const tenon::Graph& g, const std::string& component) {
    const tn_spec* action = g.spec("action");
    if (action != nullptr && action->kind != TN_SPEC_CATEGORICAL) {
        throw tenon::InvalidArgument(component + " needs a categorical action; mlp/q is for continuous ones");
    }
    return action;
}

}  // namespace mlp
