// SPDX-License-Identifier: Apache-2.0
// Observations of the env that nothing in a run reads, which may be a mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

inline constexpr std::string_view kUnreadColumn = "unread_column";  // as in validate.allow

// The keys of the unread columns, without columns that transforms have made: the manifest has asked for these. Where
// agents of a group act, columns outside the group do not count: an env has such a state for central critics, and not
// every run has one. Requires that everything else is wired.
std::vector<std::string> unread_columns(const Wiring& w, const Lanes& lanes);

// A warning for each of Wiring::unread, with the options that would read it.
void warn_of_unread(const Wiring& w, Problems& warnings);

}  // namespace tenon
