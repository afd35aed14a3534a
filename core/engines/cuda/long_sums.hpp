// SPDX-License-Identifier: Apache-2.0
// How long sums are cut, so that all units of a GPU share them. The cut depends on the shape alone, and so do the bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

inline constexpr int kFewLines = 4;  // rows or columns of a product that one thread computes completely

// The cut of a large product with a long k.
struct LongCut {
    std::int64_t part;  // of k
    std::int64_t blocks;
};

constexpr std::int64_t rounded_up(std::int64_t number, std::int64_t to) {
    return count_of_parts(number, to) * to;
}

// Used instead of std::bit_ceil, which has another value in a kernel.
constexpr std::int64_t power_of_two(std::int64_t at_least) {
    std::int64_t out = 1;
    while (out < at_least) {
        out *= 2;
    }
    return out;
}

// The number of blocks is close to the number that a large GPU runs at the same time.
constexpr LongCut cut_product(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, bool few) {
    constexpr std::int64_t kBlocks = 256;
    constexpr std::int64_t kLines = 64;      // of a tile
    constexpr std::int64_t kFlatLines = 32;  // lines of a tile that is four times as long
    constexpr std::int64_t kLeast = 128;     // of k
    constexpr std::int64_t kLeastFew = 512;
    const std::int64_t less = std::min(m, n);
    const std::int64_t more = std::max(m, n);
    const std::int64_t tiles = batch * (few                  ? count_of_parts(more, kLines)
                                        : less <= kFlatLines ? count_of_parts(more, 4 * kFlatLines)
                                                             : count_of_parts(m, kLines) * count_of_parts(n, kLines));
    const std::int64_t parts = std::max<std::int64_t>(1, kBlocks / tiles);
    const std::int64_t part = std::max(rounded_up(count_of_parts(k, parts), 32), few ? kLeastFew : kLeast);
    return {.part = part, .blocks = tiles * count_of_parts(k, part)};
}

inline constexpr int kReduceLanes = 256;  // numbers, or groups of four, that a block adds in parallel

struct ReduceCut {
    std::int32_t width;  // lanes next to each other
    std::int64_t part;   // of the elements
    std::int64_t blocks;
};

// The cut for lanes that have so many results each.
constexpr ReduceCut cut_lanes(std::int64_t outputs, std::int64_t reduced, std::int64_t width, std::int64_t each) {
    constexpr std::int64_t kBlocks = 256;
    constexpr std::int64_t kAtOnce = 16;  // elements of a lane, at least
    const std::int64_t groups = kReduceLanes / width;
    const std::int64_t across = count_of_parts(outputs, width * each);
    const std::int64_t parts = std::max<std::int64_t>(1, kBlocks / across);
    std::int64_t part = std::max(rounded_up(count_of_parts(reduced, parts), groups), groups * kAtOnce);
    part = part * 2 >= reduced ? reduced : part;
    return {.width = static_cast<std::int32_t>(width), .part = part, .blocks = across * count_of_parts(reduced, part)};
}

// The cut for sums of a table's columns. A lane has four columns. If there are many rows, there are at most 16 groups
// of lanes, each of which covers 64 adjacent columns.
constexpr ReduceCut cut_table(std::int64_t columns, std::int64_t rows) {
    constexpr std::int64_t kRows = 8;  // of a lane, if there are few
    constexpr std::int64_t kManyRows = 2048;
    const std::int64_t most_groups = rows > kManyRows ? 16 : 64;
    const std::int64_t groups = std::min(power_of_two(count_of_parts(rows, kRows)), most_groups);
    return cut_lanes(columns, rows, std::min(power_of_two(count_of_parts(columns, 4)), kReduceLanes / groups), 4);
}

// The number of adjacent lanes that add the parts of a product. The optional sums of its rows change no bit of the
// others.
constexpr std::int32_t joining_width(const ProductWork& work) {
    return cut_table(work.batch * work.m * work.n, count_of_parts(work.k, work.part)).width;
}

// The cut for other sums. `adjacent`: results are adjacent in memory; otherwise all lanes work on the same one.
constexpr ReduceCut cut_reduction(std::int64_t outputs, std::int64_t reduced, bool adjacent) {
    constexpr std::int64_t kWidest = 32;
    return cut_lanes(outputs, reduced, adjacent ? power_of_two(std::min(outputs, kWidest)) : 1, 1);
}

}  // namespace tenon::compiled::device
