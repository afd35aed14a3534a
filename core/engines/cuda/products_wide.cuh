// SPDX-License-Identifier: Apache-2.0
// Matrix products of many rows, each with a separate launch. A block goes through its tiles of the result as one stream
// of slabs, which are kSlab of k each: while it adds the products of a slab, the next two slabs are copied to shared
// memory. As in products.cuh each element is one chain over k, so a tile's size changes no bit.
#pragma once

#include <cstdint>

#include "engines/cuda/async_copies.cuh"
#include "engines/cuda/places.cuh"
#include "engines/cuda/products.cuh"

namespace tenon::compiled::device {

#ifdef __CUDACC__
inline constexpr int kWarps = 4;     // of a block, each with rows of its own
inline constexpr int kWarpDown = 4;  // this and the next: threads of a warp, down and across
inline constexpr int kWarpAcross = 8;
inline constexpr int kSlab = 16;  // of k
#else
inline constexpr int kWarps = 2;  // each thread costs a fiber
inline constexpr int kWarpDown = 1;
inline constexpr int kWarpAcross = 4;
inline constexpr int kSlab = 8;
#endif
inline constexpr int kWideThreads = kWarps * kWarpDown * kWarpAcross;
inline constexpr int kSlabFours = kSlab / 4;
inline constexpr int kPrefetchedSlabs = 2;
inline constexpr int kRightSlabs = 4;  // slabs that stay in shared memory, if they are all of k

__device__ inline bool in_fours(const void* at, std::int64_t step) {
    return reinterpret_cast<std::uintptr_t>(at) % sizeof(Four) == 0 && step % 4 == 0;
}

// A tile of the result.
struct WideTile {
    int batch;
    int top, side;  // first row and column
};

// The slab that is copied next.
struct WideNext {
    const float* left;  // this and the next: the address of its first element
    const float* right;
    int tile;
    int rows, columns, depth;  // that remain of the sides, beginning with this tile
    int left_at, right_at;     // its place in shared memory
};

// Each thread has kEach rows, and kFours times four columns. One more Four pads each line, so that neighbours are in
// different banks.
template <int kEach, int kFours>
struct WideProduct {
    static constexpr int kRows = kWarps * kWarpDown * kEach;
    static constexpr int kColumnFours = kWarpAcross * kFours;
    static constexpr int kColumns = kColumnFours * 4;

    struct Room {
        Four left[kPrefetchedSlabs + 1][kRows][kSlabFours + 1];
        Four right[kRightSlabs][kSlab][kColumnFours + 1];
    };

    const ProductWork& work;
    const Blocks blocks;
    Room& room;
    int down, across, tiles;
    bool left_in_fours;   // whole Fours can be read along k
    bool right_in_fours;  // ... here, along a row
    bool right_along;     // ... or along k
    bool right_stays;     // every tile of a block has the same right side, and there is room for all of it
    int row, column;      // the thread's first ones, within a tile
    WideNext next{};

    __device__ WideProduct(const ProductWork& of, Blocks by, Room& in) : work(of), blocks(by), room(in) {
        const int warp = static_cast<int>(threadIdx.x) / (kWarpDown * kWarpAcross);
        const int lane = static_cast<int>(threadIdx.x) % (kWarpDown * kWarpAcross);
        row = warp * kEach * kWarpDown + lane / kWarpAcross;
        column = lane % kWarpAcross * 4;
        down = static_cast<int>((work.m + kRows - 1) / kRows);
        across = static_cast<int>((work.n + kColumns - 1) / kColumns);
        tiles = work.k == 0 ? 0 : static_cast<int>(work.batch) * down * across;
        left_in_fours = work.a_strides[2] == 1 && in_fours(work.a, work.a_strides[1]) && work.a_strides[0] % 4 == 0;
        right_in_fours = work.b_strides[2] == 1 && in_fours(work.b, work.b_strides[1]) && work.b_strides[0] % 4 == 0;
        right_along = !right_in_fours && work.b_strides[1] == 1 && in_fours(work.b, work.b_strides[2]) &&
                      work.b_strides[0] % 4 == 0 && work.k % 4 == 0;
        right_stays = work.k <= std::int64_t{kRightSlabs} * kSlab && work.batch == 1 &&
                      blocks.count % static_cast<unsigned>(across) == 0;
        next.tile = static_cast<int>(blocks.index);
        begin_next();
    }

    // Avoids a division, which takes dozens of instructions; most products need few of them.
    __device__ WideTile tile_of(int number) const {
        const int of_down = across == 1 ? number : number / across;
        const int batch = of_down < down ? 0 : of_down / down;
        return {
            .batch = batch, .top = (of_down - batch * down) * kRows, .side = (number - of_down * across) * kColumns};
    }

    __device__ void begin_next() {
        if (next.tile < tiles) {
            const WideTile tile = tile_of(next.tile);
            next.rows = static_cast<int>(work.m) - tile.top;
            next.columns = static_cast<int>(work.n) - tile.side;
            next.depth = static_cast<int>(work.k);
            next.left = work.a + tile.batch * work.a_strides[0] + tile.top * work.a_strides[1];
            next.right = work.b + tile.batch * work.b_strides[0] + tile.side * work.b_strides[2];
        }
    }

    // Begins this thread's copies of the left side.
    __device__ void bring_left() {
        Four(&to)[kRows][kSlabFours + 1] = room.left[next.left_at];
        const int thread = static_cast<int>(threadIdx.x);
        if (left_in_fours) {
            const int p = thread % kSlabFours * 4;
            const int count = next.depth - p < 4 ? next.depth - p : 4;
            const float* from = next.left + thread / kSlabFours * work.a_strides[1] + p;
            TENON_UNROLL for (int i = 0; i < kRows; i += kWideThreads / kSlabFours) {
                const int line = i + thread / kSlabFours;
                if (line < next.rows && count > 0) {
                    copy_async(to[line][p / 4], from, count);
                }
                from += kWideThreads / kSlabFours * work.a_strides[1];
            }
            return;
        }
        const int depth = next.depth < kSlab ? next.depth : kSlab;
        const bool along = work.a_strides[2] == 1 && depth > 4;
        TENON_ROLLED for (int e = thread; e < kRows * (along ? kSlab : depth); e += kWideThreads) {
            const int line = along ? e / kSlab : e % kRows;
            const int p = along ? e % kSlab : e / kRows;
            if (line < next.rows && p < depth) {
                copy_async(to[line][p / 4].x[p % 4], next.left + line * work.a_strides[1] + p * work.a_strides[2]);
            }
        }
    }

    __device__ void bring_right() {
        Four(&to)[kSlab][kColumnFours + 1] = room.right[next.right_at];
        const int thread = static_cast<int>(threadIdx.x);
        if (right_in_fours) {
            TENON_ROLLED for (int e = thread; e < kSlab * kColumnFours; e += kWideThreads) {
                const int p = e / kColumnFours;
                const int at = e % kColumnFours * 4;
                const int count = next.columns - at < 4 ? next.columns - at : 4;
                if (p < next.depth && count > 0) {
                    copy_async(to[p][at / 4], next.right + p * work.b_strides[1] + at, count);
                }
            }
            return;
        }
        // A warp copies four of k times eight columns, which are in different banks.
        TENON_ROLLED for (int e = thread; e < kSlab * kColumns; e += kWideThreads) {
            const int p = e % 4 + e / 32 % kSlabFours * 4;
            const int at = e / 4 % 8 + e / 32 / kSlabFours * 8;
            if (p < next.depth && at < next.columns) {
                copy_async(to[p][at / 4].x[at % 4], next.right + p * work.b_strides[1] + at * work.b_strides[2]);
            }
        }
    }

    // The numbers that a thread reads along k for the right side of a slab. It waits for them only after the products
    // of another slab.
    struct Held {
        static constexpr int kCount = kColumns * kSlabFours / kWideThreads;
        Four x[kCount];
        int right_at;  // its place in shared memory; negative: none
    };

    __device__ void read_right(Held& held) const {
        const int p = static_cast<int>(threadIdx.x) % kSlabFours * 4;
        const int line = static_cast<int>(threadIdx.x) / kSlabFours;
        held.right_at = next.right_at;
        TENON_UNROLL for (int i = 0; i < Held::kCount; ++i) {
            const int at = line + i * (kWideThreads / kSlabFours);
            if (at < next.columns && p < next.depth) {
                held.x[i] = *reinterpret_cast<const Four*>(next.right + at * work.b_strides[2] + p);
            }
        }
    }

    __device__ void write_right(const Held& held) {
        if (held.right_at < 0) {
            return;
        }
        Four(&to)[kSlab][kColumnFours + 1] = room.right[held.right_at];
        const int p = static_cast<int>(threadIdx.x) % kSlabFours * 4;
        const int line = static_cast<int>(threadIdx.x) / kSlabFours;
        TENON_UNROLL for (int i = 0; i < Held::kCount; ++i) {
            const int at = line + i * (kWideThreads / kSlabFours);
            TENON_UNROLL for (int x = 0; x < 4; ++x) {
                to[p + x][at / 4].x[at % 4] = held.x[i].x[x];
            }
        }
    }

    // Begins the copies of the next slab.
    __device__ void bring(Held& held) {
        held.right_at = -1;
        if (next.tile < tiles) {
            if (!right_stays || next.tile == static_cast<int>(blocks.index)) {
                if (right_along) {
                    read_right(held);
                } else {
                    bring_right();
                }
            }
            bring_left();
            next.left_at = next.left_at == kPrefetchedSlabs ? 0 : next.left_at + 1;
            next.right_at = (next.right_at + 1) % kRightSlabs;
            next.depth -= kSlab;
            next.left += kSlab * work.a_strides[2];
            next.right += kSlab * work.b_strides[1];
            if (next.depth <= 0) {
                next.tile += static_cast<int>(blocks.count);
                begin_next();
            }
        }
        end_copies();
    }

    // Adds the products of one number of k, and of four.
    __device__ void add_one(const Four (&left)[kRows][kSlabFours + 1], const Four (&right)[kSlab][kColumnFours + 1],
                            int p, float (&sums)[kEach][kFours * 4]) const {
        float a[kEach];
        TENON_UNROLL for (int i = 0; i < kEach; ++i) {
            a[i] = left[row + i * kWarpDown][p / 4].x[p % 4];
        }
        TENON_UNROLL for (int j = 0; j < kFours; ++j) {
            const Four b = right[p][column / 4 + j * kWarpAcross];
            TENON_UNROLL for (int i = 0; i < kEach; ++i) {
                TENON_UNROLL for (int c = 0; c < 4; ++c) {
                    sums[i][j * 4 + c] = fmaf(a[i], b.x[c], sums[i][j * 4 + c]);
                }
            }
        }
    }

    __device__ void add_four(const Four (&left)[kRows][kSlabFours + 1], const Four (&right)[kSlab][kColumnFours + 1],
                             int four, float (&sums)[kEach][kFours * 4]) const {
        Four a[kEach];
        TENON_UNROLL for (int i = 0; i < kEach; ++i) {
            a[i] = left[row + i * kWarpDown][four];
        }
        TENON_UNROLL for (int p = 0; p < 4; ++p) {
            TENON_UNROLL for (int j = 0; j < kFours; ++j) {
                const Four b = right[four * 4 + p][column / 4 + j * kWarpAcross];
                TENON_UNROLL for (int i = 0; i < kEach; ++i) {
                    TENON_UNROLL for (int c = 0; c < 4; ++c) {
                        sums[i][j * 4 + c] = fmaf(a[i].x[p], b.x[c], sums[i][j * 4 + c]);
                    }
                }
            }
        }
    }

    __device__ void add(int left_at, int right_at, int depth, float (&sums)[kEach][kFours * 4]) const {
        const auto& left = room.left[left_at];
        const auto& right = room.right[right_at];
        if (depth == kSlab) {
            TENON_UNROLL for (int four = 0; four < kSlabFours; ++four) {
                add_four(left, right, four, sums);
            }
            return;
        }
        TENON_ROLLED for (int p = 0; p < depth; ++p) {
            add_one(left, right, p, sums);
        }
    }

    __device__ void begin_sums(const WideTile& tile, float (&sums)[kEach][kFours * 4]) const {
        TENON_UNROLL for (int j = 0; j < kFours * 4; ++j) {
            const int at = tile.side + column + j / 4 * (kWarpAcross * 4) + j % 4;
            const float start = bias_of(work, tile.batch, at);
            TENON_UNROLL for (int i = 0; i < kEach; ++i) {
                sums[i][j] = start;
            }
        }
    }

    // Writes the tile. The tail's operands of several rows are read together.
    __device__ void leave(const WideTile& tile, float (&sums)[kEach][kFours * 4]) const {
        constexpr int kAtOnce = kEach < 4 ? kEach : 4;
        const int rows = static_cast<int>(work.m) - tile.top - row;
        const int columns = static_cast<int>(work.n) - tile.side - column;
        float* const c = work.c + tile.batch * work.c_batch + (tile.top + row) * work.c_row + tile.side + column;
        const bool c_in_fours = in_fours(c, work.c_row);
        const bool reads = work.with != nullptr;
        const float* const with =
            reads ? work.with + tile.batch * work.with_batch + (tile.top + row) * work.with_row + tile.side + column
                  : nullptr;
        const bool with_in_fours = in_fours(with, work.with_row);
        TENON_UNROLL for (int first = 0; first < kEach; first += kAtOnce) {
            Four operands[kAtOnce][kFours] = {};
            TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
                const int r = (first + i) * kWarpDown;
                TENON_UNROLL for (int j = 0; j < kFours && reads && r < rows; ++j) {
                    const int at = j * (kWarpAcross * 4);
                    read_four(operands[i][j], with + r * work.with_row + at, with_in_fours, columns - at);
                }
            }
            with_tail(static_cast<Tail>(work.tail), [&](auto tail) {
                TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
                    TENON_UNROLL for (int j = 0; j < kFours * 4; ++j) {
                        float& sum = sums[first + i][j];
                        sum = finished_by<decltype(tail)::kValue>(sum, operands[i][j / 4].x[j % 4]);
                    }
                }
            });
            TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
                const int r = (first + i) * kWarpDown;
                TENON_UNROLL for (int j = 0; j < kFours && r < rows; ++j) {
                    const int at = j * (kWarpAcross * 4);
                    write_four(c + r * work.c_row + at, &sums[first + i][j * 4], c_in_fours, columns - at);
                }
            }
        }
    }

    __device__ static void read_four(Four& to, const float* from, bool in_one, int count) {
        if (in_one && count >= 4) {
            to = *reinterpret_cast<const Four*>(from);
            return;
        }
        TENON_UNROLL for (int x = 0; x < 4; ++x) {
            to.x[x] = x < count ? from[x] : 0.0F;
        }
    }

    __device__ static void write_four(float* to, const float* from, bool in_one, int count) {
        if (in_one && count >= 4) {
            *reinterpret_cast<Four*>(to) = {{from[0], from[1], from[2], from[3]}};
            return;
        }
        TENON_UNROLL for (int x = 0; x < 4; ++x) {
            if (x < count) {
                to[x] = from[x];
            }
        }
    }

    __device__ void compute() {
        Held held{};
        TENON_ROLLED for (int i = 0; i < kPrefetchedSlabs; ++i) {
            bring(held);
            write_right(held);
        }
        int left_at = 0;
        int right_at = 0;
        for (int number = static_cast<int>(blocks.index); number < tiles; number += static_cast<int>(blocks.count)) {
            const WideTile tile = tile_of(number);
            float sums[kEach][kFours * 4];
            begin_sums(tile, sums);
            right_at = right_stays ? 0 : right_at;
            for (int depth = static_cast<int>(work.k); depth > 0; depth -= kSlab) {
                wait_for_older_copies<kPrefetchedSlabs - 1>();
                __syncthreads();
                bring(held);
                add(left_at, right_at, depth < kSlab ? depth : kSlab, sums);
                write_right(held);
                left_at = left_at == kPrefetchedSlabs ? 0 : left_at + 1;
                right_at = (right_at + 1) % kRightSlabs;
            }
            leave(tile, sums);
        }
    }
};

template <int kEach, int kFours>
__device__ inline void wide_product(const ProductWork& work, Blocks blocks) {
    using Product = WideProduct<kEach, kFours>;
    __shared__ typename Product::Room room;
    Product(work, blocks, room).compute();
}

__device__ inline void product_wide(const ProductWork& work, Blocks blocks) {
    wide_product<8, 2>(work, blocks);
}
__device__ inline void product_tall(const ProductWork& work, Blocks blocks) {
    wide_product<8, 1>(work, blocks);
}
__device__ inline void product_low(const ProductWork& work, Blocks blocks) {
    wide_product<4, 1>(work, blocks);
}

}  // namespace tenon::compiled::device
