// SPDX-License-Identifier: Apache-2.0
// The agents of a group, for components that use all of them together. A component of a group is written for one agent;
// its values have the agents as a leading dimension, which it need not know of.
#pragma once

#include <cstdint>
#include <source_location>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Whether the value has a dimension of agents; true for a poisoned value.
inline bool has_agents(Value x) {
    return detail::has_dimension(x, TN_DIM_FIRST_GROUP, TN_DIM_FIRST_MADE);
}

// The agents as the last size, [.., agents].
inline Value agents(Value x, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    if (!has_agents(x)) {
        throw InvalidArgument(
            "it needs the values of a group's agents, but got one value for all: set the group of the objective and of "
            "its networks");
    }
    return collect(x);
}

// The mean over the agents; a value of no agents stays as it is.
inline Value mean_over_agents(Value x, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return has_agents(x) ? mean(agents(x)) : x;
}

}  // namespace TENON_SDK
}  // namespace tenon
