// SPDX-License-Identifier: Apache-2.0
// Which objectives have their next minibatch prepared while an update is made, and whether that gives the same rows.
#pragma once

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Requires complete plans of buffers and objectives.
void wire_prefetch(Wiring& wiring, Problems& problems);

}  // namespace tenon
