// SPDX-License-Identifier: Apache-2.0
// A column of small integers that is only read as real numbers, for example the bytes of an image, is imported directly
// as reals and not by way of the graph's integers.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run.
void import_directly(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
