// SPDX-License-Identifier: Apache-2.0
// Whether the hooks of a run can read the metrics that they name, and can have those of their own.
#pragma once

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// Requires a wiring that has been built.
void check_hook_metrics(const Wiring& wiring, Problems& problems);

}  // namespace tenon
