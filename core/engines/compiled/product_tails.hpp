// SPDX-License-Identifier: Apache-2.0
// Fuses an activation after a product, or the derivative of one, into the product: it is applied to each element before
// the product stores it, which saves a pass over memory.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run. A tanh is a tail on a device only: the loops of the CPU compute many
// at a time.
void attach_tails(Listing& listing, DType real, std::span<const std::uint32_t> pinned, RunsOn where = RunsOn::kCpu);

}  // namespace tenon::compiled
