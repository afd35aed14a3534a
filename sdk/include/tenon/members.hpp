// SPDX-License-Identifier: Apache-2.0
// Ensembles of any count, one included. A network of `count = 1` has no dimension for its members, so that what it says
// is of the same shape as that of any other network. An objective is written once for both: min_members, max_members,
// mean_members and sum_members of what a single network says are that itself, and whatever else an author does with
// members goes by the last size that this gives them.
#pragma once

#include <source_location>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// What the members of a network say as the last size, [.., members]: of a network of one [.., 1]. The role is needed
// where the value has a second dimension that spread, stack or draws have made.
inline Value members(Value x, const char* role = "", std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return detail::has_members(x) ? collect(x, role) : unsqueeze(x);
}

}  // namespace TENON_SDK
}  // namespace tenon
