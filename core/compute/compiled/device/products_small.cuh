// SPDX-License-Identifier: Apache-2.0
// Matrix products that share a launch with other works, or are too small for the kernels of many rows. In a run a few
// blocks compute them, and most of the time is spent on waiting: for memory, for each other, and for one addition after
// the other. So the tiles are small, what comes next is read ahead, and numbers have 32 bits.
#pragma once

#include <cstdint>

#include "compute/compiled/device/places.cuh"
#include "compute/compiled/device/products.cuh"

namespace tenon::compiled::device {

#ifdef __CUDACC__
inline constexpr int kProductThreads = 256;  // of a block
#else
inline constexpr int kProductThreads = 4;  // each costs a fiber
#endif

// Elements of a result that a block computes at a time, of which a thread has some: the more, the less it reads of
// shared memory for each. Some threads only bring what the others need.
template <int kOfRows, int kOfColumns, int kThreadsDown, int kThreadsAcross, int kOfDepth>
struct Tile {
    static constexpr int kRowsEach = kOfRows;  // this and the next: of a thread
    static constexpr int kColumnsEach = kOfColumns;
    static constexpr int kDown = kThreadsDown;  // this and the next: threads
    static constexpr int kAcross = kThreadsAcross;
    static constexpr int kRows = kDown * kRowsEach;
    static constexpr int kColumns = kAcross * kColumnsEach;
    static constexpr int kDepth = kOfDepth;  // of k, at a time
    static_assert(kDown * kAcross <= kProductThreads);

    // What it needs of both sides, in shared memory: rows of one and columns of the other, along k. The last four are
    // there so that neighbours are in different banks.
    struct Sides {
        Four left[kRows][kDepth / 4 + 1];
        Four right[kColumns][kDepth / 4 + 1];
    };
};

#ifdef __CUDACC__
using SmallTile = Tile<2, 2, 8, 8, 128>;
using SomeTile = Tile<4, 4, 8, 8, 64>;
using LargeTile = Tile<4, 4, 16, 8, 64>;
#else
using SmallTile = Tile<2, 2, 2, 2, 128>;
using SomeTile = Tile<4, 4, 2, 2, 64>;
using LargeTile = Tile<8, 8, 2, 2, 64>;
#endif

// How the elements of a side are read: four at a time along k, four at a time of neighbouring lines, or one by one.
enum class Reading { kAlong, kLines, kSingly };

// One side in memory.
struct Side {
    const float* at;
    std::int32_t lines;
    Reading reading;
    std::int32_t line_step, step;
};

__device__ inline bool in_fours(std::int64_t number) {
    return (number & 3) == 0;
}

__device__ inline Side side_of(const float* at, std::int64_t lines, std::int64_t line_step, std::int64_t step) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(at) % sizeof(Four) == 0;
    const Reading reading = aligned && step == 1 && in_fours(line_step)                      ? Reading::kAlong
                            : aligned && line_step == 1 && in_fours(step) && in_fours(lines) ? Reading::kLines
                                                                                             : Reading::kSingly;
    return {at, static_cast<std::int32_t>(lines), reading, static_cast<std::int32_t>(line_step),
            static_cast<std::int32_t>(step)};
}

// Where an element is, from another one.
__device__ inline std::int64_t way(std::int32_t count, std::int32_t step) {
    return static_cast<std::int64_t>(count) * step;
}

// The elements that a thread brings of one side: of so many lines, along so much of k.
template <int kLines, int kDepth>
struct Held {
    static constexpr int kFours = kLines * kDepth / 4;
    static constexpr int kCount = (kFours + kProductThreads - 1) / kProductThreads;
    Four fours[kCount];
};

// Calls f(of the thread's, line, along k) for each four of a thread, whose first element is there. Neighbours read
// neighbours.
template <int kLines, int kDepth>
__device__ inline void each_four(bool along, const auto& f) {
    using Mine = Held<kLines, kDepth>;
    TENON_UNROLL for (int i = 0; i < Mine::kCount; ++i) {
        const unsigned e = threadIdx.x + static_cast<unsigned>(i) * kProductThreads;
        if (e < Mine::kFours) {
            const unsigned line = along ? e / (kDepth / 4) : e % (kLines / 4) * 4;
            const unsigned p = along ? e % (kDepth / 4) * 4 : e / (kLines / 4);
            f(i, static_cast<int>(line), static_cast<int>(p));
        }
    }
}

// The same for single elements: f(four, element of it, line, along k).
template <int kLines, int kDepth>
__device__ inline void each_element(const Side& side, const auto& f) {
    using Mine = Held<kLines, kDepth>;
    const bool along = side.step == 1;
    TENON_UNROLL for (int i = 0; i < 4 * Mine::kCount; ++i) {
        const unsigned e = threadIdx.x + static_cast<unsigned>(i) * kProductThreads;
        if (e < kLines * kDepth) {
            const unsigned line = along ? e / kDepth : e % kLines;
            const unsigned p = along ? e % kDepth : e / kLines;
            f(i / 4, i % 4, static_cast<int>(line), static_cast<int>(p));
        }
    }
}

// Lines `top` and following, and what is between `from` and `from + depth` along k.
template <int kLines, int kDepth>
__device__ inline void read_side(const Side& side, int top, int from, int depth, Held<kLines, kDepth>& held) {
    const float* const first = side.at + way(top, side.line_step) + way(from, side.step);
    const int lines = side.lines - top;
    if (side.reading == Reading::kSingly || !in_fours(depth)) {
        each_element<kLines, kDepth>(side, [&](int i, int q, int line, int p) {
            held.fours[i].x[q] =
                p < depth && line < lines ? first[way(line, side.line_step) + way(p, side.step)] : 0.0F;
        });
        return;
    }
    each_four<kLines, kDepth>(side.reading == Reading::kAlong, [&](int i, int line, int p) {
        held.fours[i] = p < depth && line < lines
                            ? *reinterpret_cast<const Four*>(first + way(line, side.line_step) + way(p, side.step))
                            : Four{};
    });
}

template <int kLines, int kDepth>
__device__ inline void write_side(const Side& side, Four (&to)[kLines][kDepth / 4 + 1],
                                  const Held<kLines, kDepth>& held, int depth) {
    if (side.reading == Reading::kSingly || !in_fours(depth)) {
        each_element<kLines, kDepth>(side, [&](int i, int q, int line, int p) {
            if (p < depth) {
                to[line][p / 4].x[p % 4] = held.fours[i].x[q];
            }
        });
        return;
    }
    const bool along = side.reading == Reading::kAlong;
    each_four<kLines, kDepth>(along, [&](int i, int line, int p) {
        if (along) {
            to[line][p / 4] = held.fours[i];
        } else {
            TENON_UNROLL for (int q = 0; q < 4; ++q) {
                to[line + q][p / 4].x[p % 4] = held.fours[i].x[q];
            }
        }
    });
}

template <class T>
using Results = float[T::kRowsEach][T::kColumnsEach];

// Whether a thread computes, and does not only bring what others need.
template <class T>
__device__ inline bool computes() {
    return threadIdx.x < T::kDown * T::kAcross;
}

// What a thread multiplies for four steps along k.
template <class T>
struct Operands {
    Four left[T::kRowsEach];
    Four right[T::kColumnsEach];
};

template <class T>
__device__ inline void fetch(Operands<T>& to, const typename T::Sides& sides, int at) {
    const unsigned down = threadIdx.x / T::kAcross;
    const unsigned across = threadIdx.x % T::kAcross;
    TENON_UNROLL for (int i = 0; i < T::kRowsEach; ++i) {
        to.left[i] = sides.left[down + i * T::kDown][at];
    }
    TENON_UNROLL for (int j = 0; j < T::kColumnsEach; ++j) {
        to.right[j] = sides.right[across + j * T::kAcross][at];
    }
}

template <class T>
__device__ inline void add_products(Results<T>& sums, const Operands<T>& of, int count) {
    TENON_UNROLL for (int p = 0; p < 4; ++p) {
        if (p < count) {
            TENON_UNROLL for (int i = 0; i < T::kRowsEach; ++i) {
                TENON_UNROLL for (int j = 0; j < T::kColumnsEach; ++j) {
                    sums[i][j] = fmaf(of.left[i].x[p], of.right[j].x[p], sums[i][j]);
                }
            }
        }
    }
}

// The next operands are read while these are multiplied; the last ones read are the four that separate neighbours.
template <class T>
__device__ inline void multiply(const typename T::Sides& sides, int depth, Results<T>& sums) {
    const int whole = depth / 4;
    Operands<T> even;
    Operands<T> odd;
    fetch<T>(even, sides, 0);
    int at = 0;
    for (; at + 2 <= whole; at += 2) {
        fetch<T>(odd, sides, at + 1);
        add_products<T>(sums, even, 4);
        fetch<T>(even, sides, at + 2);
        add_products<T>(sums, odd, 4);
    }
    if (at < whole) {
        add_products<T>(sums, even, 4);
        fetch<T>(even, sides, whole);
    }
    if (depth % 4 != 0) {
        add_products<T>(sums, even, depth % 4);
    }
}

// The results of a tile, each thread's next to those of its neighbours.
template <class T>
struct Mine {
    static constexpr int kCount = (T::kRows * T::kColumns + kProductThreads - 1) / kProductThreads;
    float x[kCount];
};

// Calls f(i, row, column), of the tile, for each of a thread's.
template <class T>
__device__ inline void each_mine(const ProductWork& work, int top, int side, const auto& f) {
    const int rows = static_cast<int>(work.m) - top;
    const int columns = static_cast<int>(work.n) - side;
    TENON_UNROLL for (int i = 0; i < Mine<T>::kCount; ++i) {
        const unsigned e = threadIdx.x + static_cast<unsigned>(i) * kProductThreads;
        const auto row = static_cast<int>(e / T::kColumns);
        const auto column = static_cast<int>(e % T::kColumns);
        if (row < T::kRows && row < rows && column < columns) {
            f(i, row, column);
        }
    }
}

// Quotient and rest. Those of small numbers are counted, which is faster than a division.
struct Split {
    unsigned whole, rest;
};

__device__ inline Split split(unsigned number, unsigned by) {
    if (number >= 8 * by) {
        return {number / by, number % by};
    }
    unsigned whole = 0;
    for (; number >= by; number -= by) {
        ++whole;
    }
    return {whole, number};
}

// How many tiles a result is cut into along its rows and columns, and parts along k.
struct Cut {
    unsigned down, across, parts;
};

__device__ inline Cut cut_of(const ProductWork& work, int rows, int columns) {
    const auto count = [](std::int64_t size, int each) {
        return (static_cast<unsigned>(size) + static_cast<unsigned>(each) - 1) / static_cast<unsigned>(each);
    };
    return {count(work.m, rows), count(work.n, columns), static_cast<unsigned>(parts_of(work))};
}

// Sums begin with the bias.
template <class T>
__device__ inline void start(const ProductWork& work, std::int64_t batch, int side, Results<T>& sums) {
    TENON_UNROLL for (int j = 0; j < T::kColumnsEach; ++j) {
        const float bias = bias_of(work, batch, side + static_cast<int>(threadIdx.x % T::kAcross) + j * T::kAcross);
        TENON_UNROLL for (int i = 0; i < T::kRowsEach; ++i) {
            sums[i][j] = bias;
        }
    }
}

template <class T>
__device__ inline void give(float (&all)[T::kRows][T::kColumns + 1], const Results<T>& sums) {
    TENON_UNROLL for (int i = 0; i < T::kRowsEach; ++i) {
        TENON_UNROLL for (int j = 0; j < T::kColumnsEach; ++j) {
            all[threadIdx.x / T::kAcross + i * T::kDown][threadIdx.x % T::kAcross + j * T::kAcross] = sums[i][j];
        }
    }
}

// A block computes a tile of one part of k at a time. Whatever is read from memory is read before it is needed: what
// the tail reads, before the products, and what comes next, while the products of what is there are added.
template <class T>
__device__ inline void tiles_of(const ProductWork& work, Blocks blocks, typename T::Sides& sides) {
    const Cut cut = cut_of(work, T::kRows, T::kColumns);
    const unsigned tiles = static_cast<unsigned>(work.batch) * cut.down * cut.across * cut.parts;
    for (unsigned tile = blocks.index; tile < tiles; tile += blocks.count) {
        const Split of_part = split(tile, cut.parts);
        const Split of_row = split(of_part.whole, cut.across);
        const Split of_batch = split(of_row.whole, cut.down);
        const std::int64_t batch = of_batch.whole;
        const int top = static_cast<int>(of_batch.rest) * T::kRows;
        const int side = static_cast<int>(of_row.rest) * T::kColumns;
        const bool is_whole = cut.parts == 1;
        const auto first = static_cast<int>(is_whole ? 0 : of_part.rest * work.part);
        const auto end = static_cast<int>(is_whole || first + work.part > work.k ? work.k : first + work.part);
        const Side left = side_of(work.a + batch * work.a_strides[0], work.m, work.a_strides[1], work.a_strides[2]);
        const Side right = side_of(work.b + batch * work.b_strides[0], work.n, work.b_strides[2], work.b_strides[1]);
        const auto depth_at = [&](int from) { return end - from < T::kDepth ? end - from : T::kDepth; };
        Held<T::kRows, T::kDepth> of_left;
        Held<T::kColumns, T::kDepth> of_right;
        read_side(left, top, first, depth_at(first), of_left);
        read_side(right, side, first, depth_at(first), of_right);
        Mine<T> beside = {};
        if (is_whole && work.with != nullptr) {
            const auto step = static_cast<std::int32_t>(work.with_row);
            const float* const with = work.with + batch * work.with_batch + way(top, step) + side;
            each_mine<T>(work, top, side,
                         [&](int i, int row, int column) { beside.x[i] = with[way(row, step) + column]; });
        }
        Results<T> sums = {};
        if (computes<T>() && is_whole && work.bias != nullptr) {
            start<T>(work, batch, side, sums);
        }
        for (int from = first; from < end; from += T::kDepth) {
            const int depth = depth_at(from);
            write_side(left, sides.left, of_left, depth);
            write_side(right, sides.right, of_right, depth);
            __syncthreads();
            if (from + T::kDepth < end) {
                const int next = from + T::kDepth;
                read_side(left, top, next, depth_at(next), of_left);
                read_side(right, side, next, depth_at(next), of_right);
            }
            if (computes<T>()) {
                multiply<T>(sides, depth, sums);
            }
            __syncthreads();
        }
        auto& all = reinterpret_cast<float (&)[T::kRows][T::kColumns + 1]>(sides);
        if (computes<T>()) {
            give<T>(all, sums);
        }
        __syncthreads();
        const auto step = static_cast<std::int32_t>(is_whole ? work.c_row : work.n);
        float* const to = (is_whole ? work.c + batch * work.c_batch
                                    : work.partial + (of_part.rest * work.batch + batch) * work.m * work.n) +
                          way(top, step) + side;
        each_mine<T>(work, top, side, [&](int i, int row, int column) {
            const float sum = all[row][column];
            to[way(row, step) + column] = is_whole ? finished(work, sum, beside.x[i]) : sum;
        });
        __syncthreads();
    }
}

// One of them at a time.
union AnySides {
    SmallTile::Sides small;
    SomeTile::Sides some;
    LargeTile::Sides large;
};

// The smallest tiles of which each block has one at most: they keep the most blocks busy.
__device__ inline void product(const ProductWork& work, Blocks blocks) {
    __shared__ AnySides sides;
    const auto has_one = [&](int rows, int columns) {
        const Cut cut = cut_of(work, rows, columns);
        return static_cast<unsigned>(work.batch) * cut.down * cut.across * cut.parts <= blocks.count;
    };
    if (has_one(SmallTile::kRows, SmallTile::kColumns)) {
        tiles_of<SmallTile>(work, blocks, sides.small);
    } else if (has_one(SomeTile::kRows, SomeTile::kColumns)) {
        tiles_of<SomeTile>(work, blocks, sides.some);
    } else {
        tiles_of<LargeTile>(work, blocks, sides.large);
    }
}

}  // namespace tenon::compiled::device
