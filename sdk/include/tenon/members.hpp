// SPDX-License-Identifier: Apache-2.0
// Ensembles of any count, including one. A network with `count = 1` has no member dimension: its outputs have the shape
// of any other network's. An objective is written once for both cases: min_members, max_members, mean_members and
// sum_members return the outputs of a single network unchanged. For other reductions over members use the last size
// that `members` adds.
#pragma once

#include <source_location>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The outputs of an ensemble with the members as the last size, [.., members]; [.., 1] for a single network. The role
// is required if the value has another dimension that spread, stack or draws have made, or one of agents: an objective
// that is to work in a group names it.
inline Value members(Value x, const char* role = "", std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return detail::has_members(x) ? collect(x, role) : unsqueeze(x);
}

}  // namespace TENON_SDK
}  // namespace tenon
