// SPDX-License-Identifier: Apache-2.0
// Groups of agents in a wiring: which the env has, and the networks, exploration and objective that are for one.
#pragma once

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// Finds the groups of the env, whose specs are known, and completes the units that are of one. False if a unit is of a
// group that the env does not have.
bool wire_groups(Wiring& wiring, Problems& problems);

}  // namespace tenon
