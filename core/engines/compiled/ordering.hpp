// SPDX-License-Identifier: Apache-2.0
// The order in which a listing runs, and which operations are fused.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Of an elementwise operation.
Kernels::Map map_of(const Op& op, DType real);

std::vector<Instruction> ordered(const Listing& listing, DType real, std::span<const std::uint32_t> pinned);

// Uses the order of another listing with the same operations for other sizes. Nothing if it cannot run in that order.
std::optional<std::vector<Instruction>> ordered_like(std::span<const Instruction> order, const Listing& listing,
                                                     DType real, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
