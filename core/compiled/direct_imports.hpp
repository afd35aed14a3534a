// SPDX-License-Identifier: Apache-2.0
// A column of small numbers that a program only reads as real ones, the bytes of a picture, say, is brought in as such
// and not by way of the ints that the graph makes of it.
#pragma once

#include <cstdint>
#include <span>

#include "compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that somebody reads after the run.
void import_directly(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
