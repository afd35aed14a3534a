// SPDX-License-Identifier: Apache-2.0
// Groups of agents in a wiring: the env's groups, and the networks, exploration and objective that belong to one.
#pragma once

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// Finds the groups of the env, whose specs are known, and completes the units that belong to one. False if a unit
// belongs to a group that the env does not have.
bool wire_groups(Wiring& wiring, Problems& problems);

}  // namespace tenon
