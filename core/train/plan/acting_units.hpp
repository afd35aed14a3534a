// SPDX-License-Identifier: Apache-2.0
// The networks that act: one for all, or one for each group of agents with actions, in the order of the manifest.
#pragma once

#include <string_view>
#include <vector>

#include "train/plan/programs.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Of the networks that can act, the first one of each group whose actions the env takes; if none suits, the first one.
// None if a procedure acts. Requires the env's specs.
std::vector<ActingUnit> acting_units(const Wiring& wiring);

// The unit of `acting` whose group's columns have the key; otherwise the first one.
const ActingUnit& acting_for(const std::vector<ActingUnit>& acting, std::string_view key);

// Finds the group of each exploration. Reports those that belong to no acting network.
bool wire_explorations(Wiring& wiring, Problems& problems);

}  // namespace tenon
