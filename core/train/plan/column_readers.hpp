// SPDX-License-Identifier: Apache-2.0
// Who reads the columns of the frames that a run collects, and which observations of the env nothing reads, which may
// be a mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// The manifest table of the policy that acts; if several act, of the one whose group has the column.
std::string acting_policy(const Wiring& w, const std::string& key);

// The network with the memory `key`, if acting reads and writes it. Networks other than the acting policy may be
// stepped as well.
std::string owner_of_memory(const Wiring& w, const std::string& key);

// The manifest tables of all readers of a stored column: "policy.qvalue", "objective", "buffer", "hooks.NAME", and of
// transforms that use it without changing it. Requires that everything else is wired.
std::vector<std::string> readers_of(const Wiring& w, const Lanes& lanes, const std::string& key, Role role);

inline constexpr std::string_view kUnreadColumn = "unread_column";  // as in validate.allow

// The keys of the unread observations, without columns that transforms have made: the manifest has asked for these.
// Where agents of a group act, columns outside the group do not count: an env has such a state for central critics, and
// not every run has one. Requires that everything else is wired.
std::vector<std::string> unread_columns(const Wiring& w, const Lanes& lanes);

// A warning for each of Wiring::unread, with the options that would read it.
void warn_of_unread(const Wiring& w, Problems& warnings);

}  // namespace tenon
