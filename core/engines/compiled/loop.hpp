// SPDX-License-Identifier: Apache-2.0
// Runs a loop of elementwise operations.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

void run_loop(const Loop& loop, const Memory& memory);

// Gathers n elements from number `first` on, in the order of the view's shape, or scatters them.
void bring(const View& view, const std::byte* base, std::size_t bytes, std::int64_t first, std::int64_t n,
           std::byte* out);
void put(const View& view, std::byte* base, std::size_t bytes, std::int64_t first, std::int64_t n, const std::byte* in);

}  // namespace tenon::compiled
