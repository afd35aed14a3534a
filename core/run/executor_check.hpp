// SPDX-License-Identifier: Apache-2.0
// Whether the executor that the manifest asks for can compute the programs of a run.
#pragma once

#include "error/problem.hpp"

namespace tenon {

struct Wiring;

// Adds what `executor = "compiled"` would refuse: every program that this run computes is lowered for a few rows.
// Nothing is computed. The wiring is complete.
void check_executor(const Wiring& wiring, Problems& problems);

}  // namespace tenon
