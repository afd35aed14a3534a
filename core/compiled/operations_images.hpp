// SPDX-License-Identifier: Apache-2.0
// What lies below a window that moves over images, and the sums of such pieces where they came from.
#pragma once

#include "compiled/tape.hpp"

namespace tenon::compiled {

void run_patches(const Op& op, DType real, const Memory& memory);
void run_unpatch(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
