// SPDX-License-Identifier: Apache-2.0
// Imports a column of small integers, for example the bytes of an image, directly as reals if it is only read as real
// numbers. This saves the pass over the graph's integers.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run.
void import_directly(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
