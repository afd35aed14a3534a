// SPDX-License-Identifier: Apache-2.0
// Adds numbers that arrive as bytes.
#pragma once

#include <cstddef>
#include <cstring>

namespace tenon {

// to[i] += from[i] for all whole numbers in these bytes; `from` may have any alignment.
template <class Real>
void add_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    auto* sums = reinterpret_cast<Real*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(Real); ++i) {
        Real one;
        std::memcpy(&one, from + i * sizeof(Real), sizeof one);
        sums[i] += one;
    }
}

}  // namespace tenon
