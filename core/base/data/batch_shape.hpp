// SPDX-License-Identifier: Apache-2.0
// Batches with other leading dimensions. All of these return views of the same memory and copy nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/data/batch.hpp"

namespace tenon {

// Leading dimension i of the result is dimension order[i] of the batch; `order` has each of them once.
Result<Batch> permute(const Batch& batch, std::span<const std::uint32_t> order);
Result<Batch> transpose(const Batch& batch, std::uint32_t a, std::uint32_t b);

// squeeze: removes a leading dimension, whose extent must be 1, or all dimensions of extent 1. unsqueeze: adds one of
// extent 1.
Result<Batch> squeeze(const Batch& batch, std::uint32_t dim);
Batch squeeze(const Batch& batch);
Result<Batch> unsqueeze(const Batch& batch, std::uint32_t dim);

// Broadcasts to `leading`: new dimensions come first, and dimensions of extent 1 are repeated. What is repeated is the
// same memory, so that writing one row writes all of its repetitions; clone() separates them.
Result<Batch> expand(const Batch& batch, const Shape& leading);

// Pieces along a dimension: of these extents, which must add up to its own; of `size` each, the last one having what is
// left; at most `count` pieces of equal size, the last one having what is left; and all indices, without the dimension.
Result<std::vector<Batch>> split(const Batch& batch, std::uint32_t dim, std::span<const std::int64_t> sizes);
Result<std::vector<Batch>> split(const Batch& batch, std::uint32_t dim, std::int64_t size);
Result<std::vector<Batch>> chunk(const Batch& batch, std::uint32_t dim, std::int64_t count);
Result<std::vector<Batch>> unbind(const Batch& batch, std::uint32_t dim);

}  // namespace tenon
