// SPDX-License-Identifier: Apache-2.0
// Runs the operations that are not loops.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Precomputes what does not depend on the data; called once.
void prepare_operation(Op& op);

void run_operation(const Op& op, DType real, const Memory& memory, const Call& call);

// The bytes of scratch memory that it needs.
std::size_t scratch_of(const Op& op, DType real);

}  // namespace tenon::compiled
