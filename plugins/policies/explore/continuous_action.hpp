// SPDX-License-Identifier: Apache-2.0
// What noise on a continuous action has in common: which actions it suits, and that it stays within their bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"

// The action's spec; null where there is no such column, which has been said.
inline const tn_spec* continuous_action(const tenon::Graph& g, const char* who) {
    const tn_spec* spec = g.spec("action");
    if (spec == nullptr) {
        return nullptr;
    }
    const bool continuous = spec->kind == TN_SPEC_BOUNDED || spec->kind == TN_SPEC_UNBOUNDED;
    if (!continuous || std::string_view(tenon::kind_of(*spec)) != "real") {
        throw tenon::InvalidArgument(
            std::string(who) + " needs an action of real numbers; explore/epsilon_greedy is for categorical ones");
    }
    return spec;
}

// The action with noise in halves of the range between its bounds, or, without two finite ones, in its own units.
inline tenon::Value moved(tenon::Value action, tenon::Value noise, const tn_spec& spec) {
    if (spec.bound_count == 0) {
        return action + noise;
    }
    const auto finite = [](double bound) { return std::isfinite(bound); };
    const bool between = std::all_of(spec.low, spec.low + spec.bound_count, finite) &&
                         std::all_of(spec.high, spec.high + spec.bound_count, finite);
    const tenon::ActionBounds bounds = tenon::bounds_of(spec);
    return clamp(action + (between ? bounds.half() * noise : noise), bounds.low, bounds.high);
}
