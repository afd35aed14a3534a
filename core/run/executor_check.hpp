// SPDX-License-Identifier: Apache-2.0
// Whether the executor that the manifest asks for can compute the programs of a run.
#pragma once

#include "error/problem.hpp"

namespace tenon {

struct Wiring;

// Adds what it would refuse of the programs that this run computes: kernels of another dtype, and, where it is
// "compiled" alone, what has no compiled form, for which each is lowered for a few rows. Nothing is computed. The
// wiring is complete.
void check_executor(const Wiring& wiring, Problems& problems);

}  // namespace tenon
