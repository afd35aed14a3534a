// SPDX-License-Identifier: Apache-2.0
// Aligns dimensions by name: inserts dimensions of size 1, so that broadcasting does the rest.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "compute/graph/type.hpp"

namespace tenon::reference {

// The positions, in order, at which a value with these dimensions needs a size of 1 to align with `symbols`. Symbols
// missing before its first dimension need none.
std::vector<std::int64_t> gaps(std::span<const graph::Dim> dims, std::span<const graph::Dim> symbols);

at::Tensor fill_gaps(const at::Tensor& value, std::span<const std::int64_t> positions);

// The value with a size of 1 for each of these symbols that its type lacks, in their order.
at::Tensor among(const graph::Type& type, const at::Tensor& value, std::span<const graph::Dim> symbols);

std::int64_t position_of(const graph::Type& type, graph::Dim symbol);

}  // namespace tenon::reference
