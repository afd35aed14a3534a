// SPDX-License-Identifier: Apache-2.0
// The order in which a listing runs, and which operations are fused.
//
// An operation can run when all operations that it depends on have run: those that wrote its inputs before it in the
// listing, and those that wrote its output before. The order is made greedily. Small elementwise operations wait until
// nothing else can run; then all that have the same number of elements become one loop, which reads and writes each
// value once. So values pass from one operation to the next in registers or in the cache, and not through memory. The
// order depends on the listing alone, so that every run has the same bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// The kernel of an elementwise operation.
Kernels::Map map_of(const Op& op, DType real);

std::vector<Instruction> ordered(const Listing& listing, DType real, std::span<const std::uint32_t> pinned);

// Uses the order of another listing with the same operations for other sizes. Nothing if the operations of a loop have
// different numbers of elements here.
std::optional<std::vector<Instruction>> ordered_like(std::span<const Instruction> order, const Listing& listing,
                                                     DType real, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
