// SPDX-License-Identifier: Apache-2.0
// Keeps packed weights between calls. A product needs its weights transposed and packed, and for few rows packing takes
// as long as the product. A program that changes no parameter, such as a policy that acts, packs them only once.
#pragma once

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

void keep_sides(Listing& listing, DType real);

}  // namespace tenon::compiled
