// SPDX-License-Identifier: Apache-2.0
// Checks whether the executor that the manifest requests can compute the programs of a run.
#pragma once

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// Reports what the executor would refuse: kernels of another dtype and, if it is "compiled" alone, programs without a
// compiled form. Each program is lowered for a few rows; nothing is computed. Requires a complete wiring.
void check_executor(const Wiring& wiring, Problems& problems);

}  // namespace tenon
