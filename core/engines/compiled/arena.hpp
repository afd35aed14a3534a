// SPDX-License-Identifier: Apache-2.0
// Places values in one block of memory, so that values share bytes if they are not alive at the same time.
#pragma once

#include <cstddef>
#include <vector>

namespace tenon::compiled {

// The alignment of every value in the block: a cache line, and the widest vector register.
inline constexpr std::size_t kAlignment = 64;

// From the first instruction that writes the value to the last one that reads it, both included.
struct Lifetime {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t offset = 0;  // result
};

// Assigns an offset, a multiple of kAlignment, to each value, large ones first. Returns the bytes needed.
std::size_t place_lifetimes(std::vector<Lifetime>& lifetimes);

}  // namespace tenon::compiled
