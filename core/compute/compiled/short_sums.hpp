// SPDX-License-Identifier: Apache-2.0
// Sums and extremes of a few elements as elementwise operations, which a loop computes together with what comes before
// and after them. On a device a pass over memory, or a wait for what others have left there, takes longer than they do.
#pragma once

#include "compute/compiled/ir.hpp"

namespace tenon::compiled {

// Writes out those that the CPU adds up or compares in order, and so with its bits.
void write_out_short_sums(Listing& listing);

}  // namespace tenon::compiled
