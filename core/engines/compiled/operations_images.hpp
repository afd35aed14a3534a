// SPDX-License-Identifier: Apache-2.0
// Im2col for sliding windows, and its adjoint, which sums the patches back into the image.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

void run_patches(const Op& op, DType real, const Memory& memory);
void run_unpatch(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
