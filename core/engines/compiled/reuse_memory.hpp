// SPDX-License-Identifier: Apache-2.0
// Removes copies that only keep a value which nothing reads afterwards.
//
// A row is put into a copy of its value. If no operation after the copy reads the value, the operations that make the
// value write into the copy's memory instead, and the row is written in place. A value that a scan carries in place is
// copied back at the end of a step; this copy goes the same way.
#pragma once

#include <cstdint>
#include <span>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// `pinned`: buffers that are read after the run.
void reuse_memory(Listing& listing, std::span<const std::uint32_t> pinned);

}  // namespace tenon::compiled
