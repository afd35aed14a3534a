// SPDX-License-Identifier: Apache-2.0
// Memory for values that are not alive at the same time.
#pragma once

#include <cstddef>
#include <vector>

namespace tenon::compiled {

// Of everything in the arena: a line of the cache, and the widest vector.
inline constexpr std::size_t kAlignment = 64;

// Alive from the instruction that first writes it to the last that reads it, both included.
struct Lifetime {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t offset = 0;  // result
};

// Gives each a place, large ones first, at multiples of kAlignment; how many bytes that takes.
std::size_t place_lifetimes(std::vector<Lifetime>& lifetimes);

}  // namespace tenon::compiled
