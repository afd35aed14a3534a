// SPDX-License-Identifier: Apache-2.0
// Removes unread output columns of products and of sums over rows. For example, the gradient of concatenated values has
// columns of values that need no gradient.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run.
void narrow_columns(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
