// SPDX-License-Identifier: Apache-2.0
// What follows from constants alone, computed when the program is made.
#pragma once

#include "compiled/ir.hpp"
#include "data/dtype.hpp"

namespace tenon::compiled {

// Operations that make one element out of such are gone; what they made is a constant, the same bits. `varies`: numbers
// of elements are no constants.
void fold_constants(Listing& listing, DType real, bool varies);

}  // namespace tenon::compiled
