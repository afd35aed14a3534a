// SPDX-License-Identifier: Apache-2.0
// Adds numbers that arrive as bytes.
#pragma once

#include <cstddef>
#include <cstring>

namespace tenon {

// to[i] += from[i] for all whole numbers in these bytes; `from` may have any alignment. Sixteen bytes at a time,
// because the compiler makes no vectors of a loop of unknown length.
template <class Real>
void add_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    using Numbers [[gnu::vector_size(16), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;
    using Arrived [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = Real;
    std::size_t at = 0;
    for (; at + sizeof(Numbers) <= bytes; at += sizeof(Numbers)) {
        *reinterpret_cast<Numbers*>(to + at) += *reinterpret_cast<const Arrived*>(from + at);
    }
    for (; at + sizeof(Real) <= bytes; at += sizeof(Real)) {
        Real one;
        std::memcpy(&one, from + at, sizeof one);
        *reinterpret_cast<Real*>(to + at) += one;
    }
}

}  // namespace tenon
