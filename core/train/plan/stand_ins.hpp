// SPDX-License-Identifier: Apache-2.0
// The stand-ins of [columns] for the objectives' programs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "compute/graph/context.hpp"

namespace tenon {

struct ObjectivePlan;
struct Wiring;

// Reports networks, functions and objectives of [columns] that do not exist. Requires the units.
void check_stand_ins(const Wiring& wiring, Problems& problems);

// The stand-ins for columns that the objective reads.
std::vector<graph::StandIn> stand_ins_of(const Wiring& wiring, const ObjectivePlan& plan);

// Reports stand-ins that no program reads. `read`: the keys of those that are read. Requires the programs.
void check_stand_ins_are_read(const Wiring& wiring, const std::set<std::string>& read, Problems& problems);

}  // namespace tenon
