// SPDX-License-Identifier: Apache-2.0
// Sums, largest and smallest along the sizes where the result's is 1.
#pragma once

#include "compiled/tape.hpp"

namespace tenon::compiled {

// Once before it runs: neighbouring dimensions become one, those that go come last.
void prepare_reduction(Op& op);
void run_reduction(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
