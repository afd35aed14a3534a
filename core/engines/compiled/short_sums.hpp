// SPDX-License-Identifier: Apache-2.0
// Sums and extremes of a few elements, as elementwise operations: one loop computes them together with their inputs and
// with what reads them. On a device, a pass over memory or a wait for other threads' results takes longer than such a
// sum.
#pragma once

#include <cstdint>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// Writes out the reductions that the CPU computes in order, so that the bits are the same.
void write_out_short_sums(Listing& listing);

// The elements at this index of the last size; the result has one size less.
View column_of(const View& view, std::int64_t number);

}  // namespace tenon::compiled
