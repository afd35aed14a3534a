// SPDX-License-Identifier: Apache-2.0
// Splits rows of a few elements, such as the logits of an env with few actions, into columns: an elementwise operation
// on [rows, columns] becomes one on [rows] for each column. A loop over rows can then compute it together with
// operations that have one number per row: a softmax, its sums and the loss that reads them are one loop instead of
// eight. On a device each loop costs a launch, or a wait for other blocks.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// Call it after write_out_short_sums. `pinned`: buffers that are read after the run.
void write_out_short_rows(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
