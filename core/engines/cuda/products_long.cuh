// SPDX-License-Identifier: Apache-2.0
// Large products with a long k, such as the gradients of weights. k is cut into parts (long_sums.hpp), and each part
// into four slices, which the threads of a block add at the same time: an element is four chains of fused
// multiply-adds, joined as (0 + 1) + (2 + 3). The size of tiles changes no bits, so those of the emulator may be
// smaller. The sums of a's rows, such as the gradient of a bias, are added in the same order while a is in shared
// memory.
#pragma once

#include <cstdint>

#include "engines/cuda/async_copies.cuh"
#include "engines/cuda/long_sums.hpp"
#include "engines/cuda/places.cuh"
#include "engines/cuda/products_lines.cuh"

namespace tenon::compiled::device {

inline constexpr int kSlices = 4;     // of a part
inline constexpr int kLongDepth = 8;  // of k, at a time
inline constexpr int kOfThread = 8;   // rows of a thread, and columns
#ifdef __CUDACC__
inline constexpr int kSliceThreads = 64;
inline constexpr int kSquare = 8;  // threads, one above the other, in a square tile
inline constexpr int kFlat = 4;    // ... and in one of few rows
#else
inline constexpr int kSliceThreads = 8;
inline constexpr int kSquare = 2;
inline constexpr int kFlat = 4;
#endif
inline constexpr int kLongThreads = kSlices * kSliceThreads;

// Four more than the lines, as padding, so that neighbours are in different banks.
template <int kLines>
inline constexpr int kWidth = kLines + 4;

// The numbers that a thread copies to shared memory for a stage of kLines lines: groups of four at equal distances. A
// tile at the edge has fewer lines. Memory of the missing ones keeps its old values, because their sums are never
// stored.
template <int kLines>
struct Bringing {
    static constexpr int kCount = kLines * kLongDepth / 4 / kSliceThreads;
    static_assert(kCount * kSliceThreads * 4 == kLines * kLongDepth && kSliceThreads % (kLines / 4) == 0);
    const float* from;
    std::int64_t apart, next;  // next: of the next stage
    int line, p;               // of the first
    int rest;                  // lines from this one to the last
    int lines_apart, p_apart;
    bool along_k, in_fours;
    Four of[kCount] = {};

    __device__ Bringing(const Lines& lines, std::int64_t top, std::int64_t k) {
        constexpr int kStageFours = kLongDepth / 4;
        constexpr int kLineFours = kLines / 4;
        const int thread = static_cast<int>(threadIdx.x) % kSliceThreads;
        along_k = lines.along_k;
        in_fours = lines.in_fours;
        line = along_k ? thread / kStageFours : thread % kLineFours * 4;
        p = along_k ? thread % kStageFours * 4 : thread / kLineFours;
        lines_apart = along_k ? kSliceThreads / kStageFours : 0;
        p_apart = along_k ? 0 : kSliceThreads / kLineFours;
        rest = static_cast<int>(lines.count - top < kLines ? lines.count - top : kLines) - line;
        from = lines.at + (top + line) * lines.line_step + (k + p) * lines.step;
        apart = lines_apart * lines.line_step + p_apart * lines.step;
        next = kLongDepth * lines.step;
    }
    __device__ void read() {
        TENON_UNROLL for (int i = 0; i < kCount; ++i) {
            if (i * lines_apart < rest) {
                of[i] = *reinterpret_cast<const Four*>(from + i * apart);
            }
        }
        from += next;
    }
    // Copies directly to shared memory, without transposing.
    __device__ void prefetch_values(float* stage) {
        float* const to = stage + p * kWidth<kLines> + line;
        if (rest > 0) {
            TENON_UNROLL for (int i = 0; i < kCount; ++i) {
                copy_async(*reinterpret_cast<Four*>(to + i * (kSliceThreads / (kLines / 4)) * kWidth<kLines>),
                           from + i * apart);
            }
        }
        from += next;
    }
    __device__ void write(float* stage) const {
        float* const to = stage + p * kWidth<kLines> + line;
        TENON_UNROLL for (int i = 0; i < kCount; ++i) {
            if (along_k) {
                TENON_UNROLL for (int j = 0; j < 4; ++j) {
                    to[j * kWidth<kLines> + i * (kSliceThreads / (kLongDepth / 4))] = of[i].x[j];
                }
            } else {
                *reinterpret_cast<Four*>(to + i * (kSliceThreads / (kLines / 4)) * kWidth<kLines>) = of[i];
            }
        }
    }
    // The same for lines with any strides, and for a last stage with fewer than kLongDepth numbers, which is padded
    // with zeros.
    __device__ static void bring_any(float* stage, const Lines& lines, std::int64_t top, std::int64_t k, int depth) {
        const int count = static_cast<int>(lines.count - top < kLines ? lines.count - top : kLines);
        const float* const at = lines.at + top * lines.line_step + k * lines.step;
        TENON_ROLLED for (int e = static_cast<int>(threadIdx.x) % kSliceThreads; e < kLines * kLongDepth;
                          e += kSliceThreads) {
            const int line = lines.along_k ? e / kLongDepth : e % kLines;
            const int p = lines.along_k ? e % kLongDepth : e / kLines;
            const bool is_inside = line < count && p < depth;
            copy_async(stage[p * kWidth<kLines> + line],
                       is_inside ? at + line * lines.line_step + p * lines.step : lines.at, is_inside);
        }
    }
};

// A tile of kDown threads, one above the other.
template <int kDown>
struct LongTile {
    static constexpr int kAcross = kSliceThreads / kDown;
    static constexpr int kRows = kDown * kOfThread;
    static constexpr int kColumns = kAcross * kOfThread;
    static constexpr int kStage = kLongDepth * (kWidth<kRows> + kWidth<kColumns>);  // of a slice
    static constexpr int kSums = kSliceThreads * kOfThread * kOfThread;
    static constexpr int kStages = 2 * kSlices * kStage;
    static constexpr int kShared = kStages > 2 * kSums ? kStages : 2 * kSums;
    static constexpr int kJoined = kRows * kWidth<kColumns>;  // the end of a tile, where sums of lines begin
    static_assert(kShared >= kJoined + kSlices * (kRows > kColumns ? kRows : kColumns));
};

struct Corner {
    int down,
        across;  // the thread's first row and column in its tile; it has four from each, and four half a tile later
};

// If thread i reads the same numbers of one side as thread i ^ 1, and of the other side as thread i ^ 2, both halves of
// a warp read at the same time.
template <int kDown>
__device__ inline Corner corner_of() {
    const int thread = static_cast<int>(threadIdx.x) % kSliceThreads;
    return {thread / 2 % kDown, thread / (2 * kDown) * 2 + thread % 2};
}

template <int kDown>
__device__ inline void multiply_stage(const float* stage, Corner corner, float (&sums)[kOfThread][kOfThread]) {
    using Tile = LongTile<kDown>;
    const float* const left = stage + std::int64_t{corner.down} * 4;
    const float* const right = stage + kLongDepth * kWidth<Tile::kRows> + corner.across * 4;
    TENON_UNROLL for (int p = 0; p < kLongDepth; ++p) {
        Four a[2];
        Four b[2];
        TENON_UNROLL for (int half = 0; half < 2; ++half) {
            a[half] = *reinterpret_cast<const Four*>(left + p * kWidth<Tile::kRows> + half * kDown * 4);
            b[half] = *reinterpret_cast<const Four*>(right + p * kWidth<Tile::kColumns> + half * Tile::kAcross * 4);
        }
        TENON_UNROLL for (int i = 0; i < kOfThread; ++i) {
            TENON_UNROLL for (int j = 0; j < kOfThread; ++j) {
                sums[i][j] = fmaf(a[i / 4].x[i % 4], b[j / 4].x[j % 4], sums[i][j]);
            }
        }
    }
}

// Slices 1 and 3 add their sums to those of 0 and 2, then 2 adds them to 0, which writes the tile to shared memory.
template <int kDown>
__device__ inline void join_slices(float* shared, Corner corner, float (&sums)[kOfThread][kOfThread]) {
    using Tile = LongTile<kDown>;
    const int slice = static_cast<int>(threadIdx.x) / kSliceThreads;
    const int thread = static_cast<int>(threadIdx.x) % kSliceThreads;
    const auto each = [&](const auto& f) {
        TENON_UNROLL for (int i = 0; i < kOfThread; ++i) {
            TENON_UNROLL for (int j = 0; j < kOfThread; ++j) {
                f(sums[i][j], (i * kOfThread + j) * kSliceThreads + thread);
            }
        }
    };
    TENON_UNROLL for (int apart = 1; apart < kSlices; apart *= 2) {
        float* const given = shared + slice / (2 * apart) * Tile::kSums;
        if (slice % (2 * apart) == apart) {
            each([&](float& sum, int at) { given[at] = sum; });
        }
        __syncthreads();
        if (slice % (2 * apart) == 0) {
            each([&](float& sum, int at) { sum += given[at]; });
        }
        __syncthreads();
    }
    if (slice == 0) {
        TENON_UNROLL for (int i = 0; i < kOfThread; ++i) {
            TENON_UNROLL for (int half = 0; half < 2; ++half) {
                const int row = i / 4 * kDown * 4 + corner.down * 4 + i % 4;
                const int column = half * Tile::kAcross * 4 + corner.across * 4;
                Four four;
                TENON_UNROLL for (int j = 0; j < 4; ++j) {
                    four.x[j] = sums[i][half * 4 + j];
                }
                *reinterpret_cast<Four*>(&shared[row * kWidth<Tile::kColumns> + column]) = four;
            }
        }
    }
    __syncthreads();
}

// The sums of a side's lines. A thread of a slice has every kSliceThreads-th line.
template <int kLines>
struct LineSums {
    static constexpr int kCount = (kLines + kSliceThreads - 1) / kSliceThreads;
    float x[kCount] = {};

    __device__ static int line_of(int i) { return static_cast<int>(threadIdx.x) % kSliceThreads + i * kSliceThreads; }
    __device__ void add(const float* stage) {
        TENON_UNROLL for (int i = 0; i < kCount; ++i) {
            TENON_UNROLL for (int p = 0; p < kLongDepth && line_of(i) < kLines; ++p) {
                x[i] += stage[p * kWidth<kLines> + line_of(i)];
            }
        }
    }
    // Adds the slices together, in shared memory.
    __device__ void join(float* shared) const {
        const int slice = static_cast<int>(threadIdx.x) / kSliceThreads;
        for (int i = 0; i < kCount && line_of(i) < kLines; ++i) {
            shared[slice * kLines + line_of(i)] = x[i];
        }
        __syncthreads();
        for (int line = static_cast<int>(threadIdx.x); line < kLines; line += kLongThreads) {
            const auto of = [&](int number) { return shared[number * kLines + line]; };
            shared[line] = (of(0) + of(1)) + (of(2) + of(3));
        }
        __syncthreads();
    }
};

// `turned`: the rows of a tile are columns of the result. kAsync: on both sides, neighbours are along the lines.
template <int kDown, bool kAsync>
__device__ inline void long_tiles(const ProductWork& work, bool turned, float* shared, Blocks blocks) {
    using Tile = LongTile<kDown>;
    const std::int64_t rows = turned ? work.n : work.m;
    const std::int64_t columns = turned ? work.m : work.n;
    const std::int64_t down = (rows + Tile::kRows - 1) / Tile::kRows;
    const std::int64_t across = (columns + Tile::kColumns - 1) / Tile::kColumns;
    const std::int64_t parts = count_of_parts(work.k, work.part);
    const int slice = static_cast<int>(threadIdx.x) / kSliceThreads;
    const Corner corner = corner_of<kDown>();
    float* const own = shared + slice * 2 * Tile::kStage;
    for (std::int64_t number = blocks.index; number < work.batch * down * across * parts; number += blocks.count) {
        const Cell of_part = cell_of(number, parts);
        const Cell of_row = cell_of(of_part.row, across);
        const Cell of_batch = cell_of(of_row.row, down);
        const std::int64_t top = of_batch.column * Tile::kRows;
        const std::int64_t side = of_row.column * Tile::kColumns;
        const std::int64_t start = of_part.column * work.part;
        const int part = static_cast<int>(work.k - start < work.part ? work.k - start : work.part);
        const int length = (part + kSlices * kLongDepth - 1) / (kSlices * kLongDepth) * kLongDepth;
        const int least = part - (kSlices - 1) * length;       // of the last slice; may be negative
        const int whole = least > 0 ? least / kLongDepth : 0;  // stages in which no slice ends
        const int stages = length / kLongDepth;
        const std::int64_t first = start + std::int64_t{slice} * length;
        float sums[kOfThread][kOfThread] = {};
        LineSums<Tile::kRows> of_rows;        // of a
        LineSums<Tile::kColumns> of_columns;  // the same if `turned`
        const bool sums_rows = work.row_sums != nullptr && !turned && side == 0;
        const bool sums_columns = work.row_sums != nullptr && turned && top == 0;
        Bringing<Tile::kRows> of_left(lines_of(work, of_batch.row, turned), top, first);
        Bringing<Tile::kColumns> of_right(lines_of(work, of_batch.row, !turned), side, first);
        const auto read_side = [&](auto& fours, bool of_b, std::int64_t from, float* to, int stage) {
            if (fours.in_fours && stage < whole) {
                if constexpr (kAsync) {
                    fours.prefetch_values(to);
                } else {
                    fours.read();
                }
            } else if (stage < stages) {
                const int depth = part - slice * length - stage * kLongDepth;
                fours.bring_any(to, lines_of(work, of_batch.row, of_b), from, first + std::int64_t{stage} * kLongDepth,
                                depth);
            }
        };
        const auto read = [&](int stage) {
            float* const to = own + stage % 2 * Tile::kStage;
            read_side(of_left, turned, top, to, stage);
            read_side(of_right, !turned, side, to + kLongDepth * kWidth<Tile::kRows>, stage);
        };
        const auto write = [&](int stage) {
            float* const to = own + stage % 2 * Tile::kStage;
            if (!kAsync && of_left.in_fours && stage < whole) {
                of_left.write(to);
            }
            if (!kAsync && of_right.in_fours && stage < whole) {
                of_right.write(to + kLongDepth * kWidth<Tile::kRows>);
            }
            wait_for_copies();
        };
        read(0);
        write(0);
        __syncthreads();
        for (int stage = 0; stage < stages; ++stage) {
            read(stage + 1);
            const float* const at = own + stage % 2 * Tile::kStage;
            multiply_stage<kDown>(at, corner, sums);
            if (sums_rows) {
                of_rows.add(at);
            } else if (sums_columns) {
                of_columns.add(at + kLongDepth * kWidth<Tile::kRows>);
            }
            write(stage + 1);
            __syncthreads();
        }
        join_slices<kDown>(shared, corner, sums);
        for (int e = static_cast<int>(threadIdx.x); e < Tile::kRows * Tile::kColumns; e += kLongThreads) {
            const int row = turned ? e % Tile::kRows : e / Tile::kColumns;
            const int column = turned ? e / Tile::kRows : e % Tile::kColumns;
            if (top + row < rows && side + column < columns) {
                const Spot spot{of_batch.row, turned ? side + column : top + row, turned ? top + row : side + column};
                leave_part(work, parts, of_part.column, spot, shared[row * kWidth<Tile::kColumns> + column]);
            }
        }
        if (sums_rows || sums_columns) {
            float* const joined = shared + Tile::kJoined;
            sums_rows ? of_rows.join(joined) : of_columns.join(joined);
            const std::int64_t line = threadIdx.x;
            const std::int64_t from = sums_rows ? top : side;
            if (line < (sums_rows ? Tile::kRows : Tile::kColumns) && from + line < work.m) {
                leave_part(work, parts, of_part.column, {0, from + line, work.n}, joined[line]);
            }
        }
        __syncthreads();
    }
}

__device__ inline void product_long(const ProductWork& work, Blocks blocks) {
    constexpr int kShared =
        LongTile<kSquare>::kShared > LongTile<kFlat>::kShared ? LongTile<kSquare>::kShared : LongTile<kFlat>::kShared;
    alignas(16) __shared__ float shared[kShared];
    constexpr int kFlatRows = LongTile<kFlat>::kRows;
    const bool is_async = !lines_of(work, 0, false).along_k && !lines_of(work, 0, true).along_k;
    if (work.m <= kFlatRows || work.n <= kFlatRows) {
        const bool turned = work.m > kFlatRows;
        is_async ? long_tiles<kFlat, true>(work, turned, shared, blocks)
                 : long_tiles<kFlat, false>(work, turned, shared, blocks);
    } else {
        is_async ? long_tiles<kSquare, true>(work, false, shared, blocks)
                 : long_tiles<kSquare, false>(work, false, shared, blocks);
    }
}

}  // namespace tenon::compiled::device
