// SPDX-License-Identifier: Apache-2.0
// Sum, maximum and minimum over the dimensions of size 1 in the result.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Called once: merges adjacent dimensions and moves the reduced ones to the end.
void prepare_reduction(Op& op);
void run_reduction(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
