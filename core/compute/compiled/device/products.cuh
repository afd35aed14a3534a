// SPDX-License-Identifier: Apache-2.0
// Matrix products. Each element is one chain of fused multiply-adds over k, as in the tiles of the CPU, so that it has
// the CPU's bits however the result is cut into tiles. A long k is cut into parts: a gradient of many rows would
// otherwise keep a few blocks busy for milliseconds. The cut depends on k alone. Large products have kernels of their
// own, those with a long k (products_long.cuh, products_few.cuh) and those of many rows (products_wide.cuh,
// products_narrow.cuh).
#pragma once

#include <cstdint>

#include "compute/compiled/codes.hpp"
#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

#ifdef __CUDACC__
inline constexpr int kDown = 32;  // threads of a block
inline constexpr int kAcross = 16;
inline constexpr int kFew = 1;  // this and the next: results of a thread, down and across, in tiles of two sizes
inline constexpr int kSome = 2;
#else
inline constexpr int kDown = 2;  // each costs a fiber
inline constexpr int kAcross = 2;
inline constexpr int kFew = 2;
inline constexpr int kSome = 8;
#endif
inline constexpr int kProductThreads = kDown * kAcross;

// What a tile needs of both sides, in shared memory: rows of one and columns of the other, along k. The last four are
// there so that neighbours are in different banks.
template <int kEach>
struct Sides {
    static constexpr int kRows = kDown * kEach;  // this and the next: of a tile
    static constexpr int kColumns = kAcross * kEach;
    static constexpr int kDepth = kEach == kFew ? 64 : 32;  // of k, at a time
    Four left[kRows][kDepth / 4 + 1];
    Four right[kColumns][kDepth / 4 + 1];
};

// The element at the same place of the tail's input.
__device__ inline float beside_of(const ProductWork& work, std::int64_t batch, std::int64_t row, std::int64_t column) {
    return work.with == nullptr ? 0.0F : work.with[batch * work.with_batch + row * work.with_row + column];
}

template <Tail kTail>
__device__ inline float finished_by(float x, float beside) {
    if constexpr (kTail == Tail::kRelu) {
        return x <= 0.0F ? 0.0F : x;
    } else if constexpr (kTail == Tail::kWherePositive) {
        return beside > 0.0F ? x : 0.0F;
    } else if constexpr (kTail == Tail::kTanhSlope) {
        return x * fmaf(-beside, beside, 1.0F);
    } else {
        return x;
    }
}

template <Tail kTail>
struct TailOf {
    static constexpr Tail kValue = kTail;
};

// Calls it with the tail as a type, so that one switch is for many elements.
__device__ inline void with_tail(Tail tail, const auto& f) {
    switch (tail) {
        case Tail::kRelu:
            return f(TailOf<Tail::kRelu>{});
        case Tail::kWherePositive:
            return f(TailOf<Tail::kWherePositive>{});
        case Tail::kTanhSlope:
            return f(TailOf<Tail::kTanhSlope>{});
        default:
            return;
    }
}

__device__ inline float finished(const ProductWork& work, float x, float beside) {
    with_tail(static_cast<Tail>(work.tail), [&](auto tail) { x = finished_by<decltype(tail)::kValue>(x, beside); });
    return x;
}

__device__ inline float bias_of(const ProductWork& work, std::int64_t batch, std::int64_t column) {
    return work.bias != nullptr && column < work.n ? work.bias[batch * work.bias_stride + column] : 0.0F;
}

struct Spot {
    std::int64_t batch, row, column;
};

// Where an element of the result is, by its number.
__device__ inline Spot spot_of(const ProductWork& work, std::int64_t number) {
    const Cell of_row = cell_of(number, work.n);
    const Cell of_batch = cell_of(of_row.row, work.m);
    return {of_batch.row, of_batch.column, of_row.column};
}

__device__ inline std::int64_t parts_of(const ProductWork& work) {
    return work.partial == nullptr ? 1 : quotient(work.k + work.part - 1, work.part);
}

// The elements that a thread brings of one side: of so many lines, along so much of k.
template <int kLines, int kDepth>
struct Held {
    static constexpr int kCount = (kLines * kDepth + kProductThreads - 1) / kProductThreads;
    float x[kCount];
};

// One side in memory.
struct Side {
    const float* at;
    std::int64_t lines, line_step, step;
};

// Which element of a side is a thread's. Neighbours read neighbours.
template <int kLines, int kDepth>
__device__ inline void each_element(const Side& side, const auto& f) {
    const bool along = side.step == 1;
    TENON_UNROLL for (int i = 0; i < Held<kLines, kDepth>::kCount; ++i) {
        const int e = static_cast<int>(threadIdx.x) + i * kProductThreads;
        if (e < kLines * kDepth) {
            f(i, along ? e / kDepth : e % kLines, along ? e % kDepth : e / kLines);
        }
    }
}

// Lines `top` and following, and what is between `from` and `end` along k.
template <int kLines, int kDepth>
__device__ inline Held<kLines, kDepth> read_side(const Side& side, std::int64_t top, std::int64_t from, int depth) {
    Held<kLines, kDepth> out;
    each_element<kLines, kDepth>(side, [&](int i, int line, int p) {
        out.x[i] = p < depth && top + line < side.lines
                       ? side.at[(top + line) * side.line_step + (from + p) * side.step]
                       : 0.0F;
    });
    return out;
}

template <int kLines, int kDepth>
__device__ inline void write_side(const Side& side, Four (&to)[kLines][kDepth / 4 + 1],
                                  const Held<kLines, kDepth>& held, int depth) {
    each_element<kLines, kDepth>(side, [&](int i, int line, int p) {
        if (p < depth) {
            to[line][p / 4].x[p % 4] = held.x[i];
        }
    });
}

template <int kEach>
__device__ inline void multiply(const Sides<kEach>& sides, int depth, float (&sums)[kEach][kEach]) {
    const int down = static_cast<int>(threadIdx.x) / kAcross;
    const int across = static_cast<int>(threadIdx.x) % kAcross;
    const auto add = [&](int from, int count) {
        Four left[kEach];
        Four right[kEach];
        for (int i = 0; i < kEach; ++i) {
            left[i] = sides.left[down + i * kDown][from];
            right[i] = sides.right[across + i * kAcross][from];
        }
        for (int p = 0; p < 4; ++p) {
            for (int i = 0; i < kEach && p < count; ++i) {
                for (int j = 0; j < kEach; ++j) {
                    sums[i][j] = fmaf(left[i].x[p], right[j].x[p], sums[i][j]);
                }
            }
        }
    };
    const int whole = depth / 4;
    for (int from = 0; from < whole; ++from) {
        add(from, 4);
    }
    if (depth % 4 != 0) {
        add(whole, depth % 4);
    }
}

// Writes a tile: the result, or the sums of a part. What the tail reads is read before anything is written.
template <int kEach>
__device__ inline void leave(const ProductWork& work, std::int64_t batch, std::int64_t top, std::int64_t side,
                             std::int64_t part, const float (&sums)[kEach][kEach]) {
    const std::int64_t down = top + static_cast<int>(threadIdx.x) / kAcross;
    const std::int64_t across = side + static_cast<int>(threadIdx.x) % kAcross;
    const auto each = [&](auto f) {
        for (int i = 0; i < kEach; ++i) {
            for (int j = 0; j < kEach; ++j) {
                const std::int64_t row = down + std::int64_t{i} * kDown;
                const std::int64_t column = across + std::int64_t{j} * kAcross;
                if (row < work.m && column < work.n) {
                    f(i, j, row, column);
                }
            }
        }
    };
    if (part >= 0) {
        each([&](int i, int j, std::int64_t row, std::int64_t column) {
            work.partial[((part * work.batch + batch) * work.m + row) * work.n + column] = sums[i][j];
        });
        return;
    }
    float beside[kEach][kEach] = {};
    each([&](int i, int j, std::int64_t row, std::int64_t column) {
        beside[i][j] = beside_of(work, batch, row, column);
    });
    each([&](int i, int j, std::int64_t row, std::int64_t column) {
        work.c[batch * work.c_batch + row * work.c_row + column] = finished(work, sums[i][j], beside[i][j]);
    });
}

// A block computes a tile of one part of k at a time; each thread kEach * kEach elements of it. What comes next is read
// while the products of what is there are added.
template <int kEach>
__device__ inline void tiles_of(const ProductWork& work, Blocks blocks) {
    using Tile = Sides<kEach>;
    __shared__ Tile sides;
    const std::int64_t down = (work.m + Tile::kRows - 1) / Tile::kRows;
    const std::int64_t across = (work.n + Tile::kColumns - 1) / Tile::kColumns;
    const std::int64_t parts = parts_of(work);
    for (std::int64_t tile = blocks.index; tile < work.batch * down * across * parts; tile += blocks.count) {
        const Cell of_part = cell_of(tile, parts);
        const Cell of_row = cell_of(of_part.row, across);
        const Cell of_batch = cell_of(of_row.row, down);
        const std::int64_t batch = of_batch.row;
        const std::int64_t top = of_batch.column * Tile::kRows;
        const std::int64_t side = of_row.column * Tile::kColumns;
        const std::int64_t first = of_part.column * work.part;
        const std::int64_t end = parts == 1 || first + work.part > work.k ? work.k : first + work.part;
        const Side left{work.a + batch * work.a_strides[0], work.m, work.a_strides[1], work.a_strides[2]};
        const Side right{work.b + batch * work.b_strides[0], work.n, work.b_strides[2], work.b_strides[1]};
        float sums[kEach][kEach];
        for (int j = 0; j < kEach; ++j) {
            const std::int64_t column = side + static_cast<int>(threadIdx.x) % kAcross + std::int64_t{j} * kAcross;
            const float start = parts == 1 ? bias_of(work, batch, column) : 0.0F;
            for (int i = 0; i < kEach; ++i) {
                sums[i][j] = start;
            }
        }
        const auto depth_at = [&](std::int64_t from) {
            return static_cast<int>(end - from < Tile::kDepth ? end - from : Tile::kDepth);
        };
        auto of_left = read_side<Tile::kRows, Tile::kDepth>(left, top, first, depth_at(first));
        auto of_right = read_side<Tile::kColumns, Tile::kDepth>(right, side, first, depth_at(first));
        for (std::int64_t from = first; from < end; from += Tile::kDepth) {
            const int depth = depth_at(from);
            write_side<Tile::kRows, Tile::kDepth>(left, sides.left, of_left, depth);
            write_side<Tile::kColumns, Tile::kDepth>(right, sides.right, of_right, depth);
            __syncthreads();
            if (from + Tile::kDepth < end) {
                const std::int64_t next = from + Tile::kDepth;
                of_left = read_side<Tile::kRows, Tile::kDepth>(left, top, next, depth_at(next));
                of_right = read_side<Tile::kColumns, Tile::kDepth>(right, side, next, depth_at(next));
            }
            multiply<kEach>(sides, depth, sums);
            __syncthreads();
        }
        leave<kEach>(work, batch, top, side, parts == 1 ? -1 : of_part.column, sums);
    }
}

// Small tiles keep more blocks busy.
__device__ inline void product(const ProductWork& work, Blocks blocks) {
    using Tile = Sides<kSome>;
    const std::int64_t tiles =
        (work.m + Tile::kRows - 1) / Tile::kRows * ((work.n + Tile::kColumns - 1) / Tile::kColumns);
    if (work.n <= kAcross || work.batch * tiles * parts_of(work) < static_cast<std::int64_t>(blocks.count)) {
        tiles_of<kFew>(work, blocks);
    } else {
        tiles_of<kSome>(work, blocks);
    }
}

// A result of few rows or columns: sixteen sums, added up by halves, and what is left over of k after them. A thread
// has one of the sums.
inline constexpr int kLanes = 16;
inline constexpr int kLaneResults = 16;  // of a block at a time

struct Chain {
    const float* a;
    const float* b;
    std::int64_t a_step, b_step;
};

__device__ inline void product_by_lanes(const ProductWork& work, Blocks blocks) {
    __shared__ float sums[kLaneResults][kLanes];
    const std::int64_t results = work.batch * work.m * work.n;
    const std::int64_t whole = work.k / kLanes * kLanes;
    const auto chain_of = [&](std::int64_t i) {
        const auto [batch, row, column] = spot_of(work, i);
        return Chain{.a = work.a + batch * work.a_strides[0] + row * work.a_strides[1],
                     .b = work.b + batch * work.b_strides[0] + column * work.b_strides[2],
                     .a_step = work.a_strides[2],
                     .b_step = work.b_strides[1]};
    };
    for (std::int64_t first = std::int64_t{blocks.index} * kLaneResults; first < results;
         first += std::int64_t{blocks.count} * kLaneResults) {
        const int count = static_cast<int>(results - first < kLaneResults ? results - first : kLaneResults);
        for (int item = static_cast<int>(threadIdx.x); item < count * kLanes; item += static_cast<int>(blockDim.x)) {
            const Chain chain = chain_of(first + item / kLanes);
            float sum = 0;
            for (std::int64_t p = item % kLanes; p < whole; p += kLanes) {
                sum = fmaf(chain.a[p * chain.a_step], chain.b[p * chain.b_step], sum);
            }
            sums[item / kLanes][item % kLanes] = sum;
        }
        __syncthreads();
        for (int r = static_cast<int>(threadIdx.x); r < count; r += static_cast<int>(blockDim.x)) {
            for (int half = kLanes / 2; half > 0; half /= 2) {
                for (int lane = 0; lane < half; ++lane) {
                    sums[r][lane] += sums[r][lane + half];
                }
            }
            const std::int64_t i = first + r;
            const auto [batch, row, column] = spot_of(work, i);
            const Chain chain = chain_of(i);
            float total = sums[r][0] + bias_of(work, batch, column);
            for (std::int64_t p = whole; p < work.k; ++p) {
                total = fmaf(chain.a[p * chain.a_step], chain.b[p * chain.b_step], total);
            }
            work.c[batch * work.c_batch + row * work.c_row + column] =
                finished(work, total, beside_of(work, batch, row, column));
        }
        __syncthreads();
    }
}

}  // namespace tenon::compiled::device
