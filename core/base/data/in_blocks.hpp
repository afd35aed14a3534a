// SPDX-License-Identifier: Apache-2.0
// Loops that vectorise. At -O2 the compiler vectorises only loops with a constant trip count: blocks of sixteen, then
// the rest one by one.
#pragma once

#include <cstddef>

namespace tenon {

// Calls body(i) for i = 0 .. count - 1.
template <class Body>
[[gnu::always_inline]] inline void in_blocks(std::size_t count, const Body& body) {
    constexpr std::size_t kAtOnce = 16;
    std::size_t first = 0;
    for (; first + kAtOnce <= count; first += kAtOnce) {
        for (std::size_t i = 0; i < kAtOnce; ++i) {
            body(first + i);
        }
    }
    for (; first < count; ++first) {
        body(first);
    }
}

}  // namespace tenon
