// SPDX-License-Identifier: Apache-2.0
// Who reads the columns of the frames that a run collects.
#pragma once

#include <string>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

// The manifest table of the policy that acts.
std::string acting_policy(const Wiring& w);

// The network with the memory `key`, if acting reads and writes it. Networks other than the acting policy may be
// stepped as well.
std::string owner_of_memory(const Wiring& w, const std::string& key);

// The manifest tables of all readers of a stored column: "policy.qvalue", "objective", "buffer", "hooks.NAME", and of
// transforms that use it without changing it. Requires that everything else is wired.
std::vector<std::string> readers_of(const Wiring& w, const Lanes& lanes, const std::string& key, Role role);

}  // namespace tenon
