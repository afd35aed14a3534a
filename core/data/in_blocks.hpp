// SPDX-License-Identifier: Apache-2.0
// Loops over many numbers side by side. At -O2 the compiler makes vector code only of a loop whose number of turns it
// knows: sixteen at a time, then the rest one by one.
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
