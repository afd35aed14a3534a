// SPDX-License-Identifier: Apache-2.0
// Action masks: replaces the scores of forbidden categories.
#pragma once

#include <source_location>
#include <string>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The score of a forbidden action. It is finite, so that 0 times it is 0 and mean entropies remain finite, and far
// below any score of a network.
inline constexpr double kForbidden = -1e30;

// Masked scores of a categorical action, one per category (for a multi-categorical action, part after part). Where the
// column "<action>_mask" of the caller's batch is false, the score is kForbidden and passes no gradient. Scores are
// unchanged if the env has no such column.
inline Value only_allowed(const Graph& g, Value scores, const char* action = "action",
                          std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::string mask = std::string(action) + "_mask";
    return g.spec(mask.c_str(), true) == nullptr ? scores : where(g.batch()[mask.c_str()], scores, kForbidden);
}

}  // namespace TENON_SDK
}  // namespace tenon
