// SPDX-License-Identifier: Apache-2.0
// The order in which the squares of a gradient are added, for the CPU and for kernels on a device: sixteen sums, each
// of every sixteenth element. A large slab is cut into parts with sums of their own, so that threads can share it; the
// cut depends only on its size.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tenon {

// Slab sizes are multiples of it.
inline constexpr std::size_t kSquareSums = 16;

// The elements of a part; the last one may have fewer.
constexpr std::size_t square_part(std::size_t size) {
    constexpr std::size_t kCut = std::size_t{1} << 15U;  // a smaller slab is one part
    constexpr std::size_t kLeast = 8192;
    constexpr std::size_t kMostParts = 1024;
    const std::size_t part = std::max(kLeast, (size + kMostParts - 1) / kMostParts);
    return size < kCut ? size : (part + kSquareSums - 1) / kSquareSums * kSquareSums;
}

constexpr std::size_t square_parts(std::size_t size) {
    return size == 0 ? 0 : (size + square_part(size) - 1) / square_part(size);
}

}  // namespace tenon
