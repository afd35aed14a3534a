// SPDX-License-Identifier: Apache-2.0
// Products of matrices, the large ones shared by the threads of the pool.
#pragma once

#include "compiled/tape.hpp"

namespace tenon::compiled {

void run_product(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
