// SPDX-License-Identifier: Apache-2.0
// Computes x / 2 * (1 + erf(x / sqrt 2)) by one function, with the same
// roundings, if nothing else reads its parts: five passes over a block become
// one. Gradients read them, so it serves acting, evaluations and frozen
// networks.
#pragma once

#include <cstdint>
#include <span>

#include "base/data/dtype.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run.
void join_gelus(Listing& listing, DType real, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
