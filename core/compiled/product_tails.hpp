// SPDX-License-Identifier: Apache-2.0
// An activation after a product, or the derivative of one, is taken to each element before the product stores it:
// nothing goes through memory for it.
#pragma once

#include <cstdint>
#include <span>

#include "compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that somebody reads after the run.
void attach_tails(Listing& listing, DType real, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
