// SPDX-License-Identifier: Apache-2.0
// Lining up dimensions by name: where sizes of 1 must enter so that broadcasting does the rest.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <vector>

#include "graph/type.hpp"

namespace tenon::reference {

// Positions, in order, at which a value of those dimensions gets a size of 1 so that its symbols stand below `symbols`.
// Symbols missing in front of its first one need none.
std::vector<std::int64_t> gaps(std::span<const graph::Dim> dims, std::span<const graph::Dim> symbols);

at::Tensor fill_gaps(const at::Tensor& value, std::span<const std::int64_t> positions);

std::int64_t position_of(const graph::Type& type, graph::Dim symbol);

}  // namespace tenon::reference
