// SPDX-License-Identifier: Apache-2.0
// Checks that an action is continuous, for noise.
#pragma once

#include <string>
#include <string_view>

#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"

// The action's spec; null if the column is missing, which has been reported.
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
