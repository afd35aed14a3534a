// SPDX-License-Identifier: Apache-2.0
// Matrix products; the threads of the pool share the large ones.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

void run_product(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
