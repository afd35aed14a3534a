// SPDX-License-Identifier: Apache-2.0
// Columns of products, and of sums over rows of them, that nobody reads are not computed: of the gradient towards
// things that stand side by side, say, when only some of them have one.
#pragma once

#include <cstdint>
#include <span>

#include "compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that somebody reads after the run.
void narrow_columns(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
