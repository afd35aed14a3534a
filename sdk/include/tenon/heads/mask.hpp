// SPDX-License-Identifier: Apache-2.0
// Action masks: scores of categories with what the env forbids struck out.
#pragma once

#include <source_location>
#include <string>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// What stands in for the score of an action that its mask forbids: finite, so that 0 times it is 0 and a mean of
// entropies stays a number, and so low that no network's score comes near it.
inline constexpr double kForbidden = -1e30;

// Scores of an action of categories, one a category (those of a multi-categorical one part after part), with kForbidden
// where the column "<action>_mask" of the batch that the caller reads is false; unchanged where the env has no such
// column. What is forbidden passes no gradient.
inline Value only_allowed(const Graph& g, Value scores, const char* action = "action",
                          std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::string mask = std::string(action) + "_mask";
    return g.spec(mask.c_str(), true) == nullptr ? scores : where(g.batch()[mask.c_str()], scores, kForbidden);
}

}  // namespace TENON_SDK
}  // namespace tenon
