// SPDX-License-Identifier: Apache-2.0
// What an objective's programs do besides giving losses: columns they write, priorities, controls, metrics.
#pragma once

#include <string>

#include "error/problem.hpp"
#include "train/programs.hpp"

namespace tenon {

struct Wiring;

// "COMPONENT WISH, WHY", at the objective's line.
void refuse(const graph::Unit& objective, const std::string& wish, const std::string& why, Problems& problems);

// What is obeyed elsewhere or by nobody is refused, not ignored. `program` is one of the wiring's.
void check_effects(const Wiring& wiring, const BuiltProgram& program, Problems& problems);

// Priorities that nobody takes are not computed. A sampler takes float64, whatever the run computes with.
void settle_priority(Wiring& wiring);

}  // namespace tenon
