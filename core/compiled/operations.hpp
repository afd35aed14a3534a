// SPDX-License-Identifier: Apache-2.0
// Runs the operations that are no loops.
#pragma once

#include "compiled/tape.hpp"

namespace tenon::compiled {

// Once before it runs: what can be worked out beforehand.
void prepare_operation(Op& op);

void run_operation(const Op& op, DType real, const Memory& memory, const Call& call);

// Bytes of scratch that it needs.
std::size_t scratch_of(const Op& op, DType real);

}  // namespace tenon::compiled
