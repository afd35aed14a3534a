// SPDX-License-Identifier: Apache-2.0
// Constant folding, when the program is made.
#pragma once

#include "base/data/dtype.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// Replaces elementwise operations on constants by their results, bit for bit. `varies`: element counts are not
// constant, because the program serves several sizes.
void fold_constants(Listing& listing, DType real, bool varies);

}  // namespace tenon::compiled
