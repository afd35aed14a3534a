// SPDX-License-Identifier: Apache-2.0
// Weights lie turned around for the product that reads them, and where rows are few, laying them out takes as long as
// the product. A program that changes no parameter, a policy's that acts, keeps them laid out from call to call.
#pragma once

#include "compiled/ir.hpp"

namespace tenon::compiled {

void keep_sides(Listing& listing, DType real);

}  // namespace tenon::compiled
