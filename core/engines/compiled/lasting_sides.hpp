// SPDX-License-Identifier: Apache-2.0
// Products need their weights transposed and packed. With few rows, packing takes as long as the product. A program
// that changes no parameter, such as a policy that acts, keeps the packed weights between calls.
#pragma once

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

void keep_sides(Listing& listing, DType real);

}  // namespace tenon::compiled
