// SPDX-License-Identifier: Apache-2.0
// Effects of an objective's programs other than losses: columns that they write, priorities, controls, metrics.
#pragma once

#include <string>

#include "base/error/problem.hpp"
#include "train/plan/objective_plan.hpp"

namespace tenon {

struct Wiring;

// The problem "COMPONENT WISH, WHY" at the objective's line.
void refuse(const graph::Unit& objective, const std::string& wish, const std::string& why, Problems& problems);

// Refuses effects that nothing in this program would obey, instead of ignoring them. `program` is one of the plan's.
void check_effects(const ObjectivePlan& plan, const BuiltProgram& program, Problems& problems);

// Removes priorities that nothing reads. A sampler takes float64, whatever the run's dtype.
void settle_priority(const Wiring& wiring, ObjectivePlan& plan);

}  // namespace tenon
