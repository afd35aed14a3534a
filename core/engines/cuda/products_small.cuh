// SPDX-License-Identifier: Apache-2.0
// Matrix products that share a launch with other works, or are too small for the kernels of many rows. In a run, a few
// blocks compute them and mostly wait, for instructions as well as for memory: the code of all works of an update does
// not fit into a unit's instruction cache. So one short code serves all shapes and strides.
#pragma once

#include <cstdint>

#include "engines/cuda/async_copies.cuh"
#include "engines/cuda/places.cuh"
#include "engines/cuda/products.cuh"

namespace tenon::compiled::device {

// A block computes squares of the result, large or small ones, and each of its threads kEach by kEach elements. It goes
// through k in stages. These are longer for small squares, so that all stages have the same number of elements.
#ifdef __CUDACC__
inline constexpr int kProductThreads = 512;  // of a block
inline constexpr int kSmallBits = 3;         // this and the next: of the number of threads across, and down
inline constexpr int kLargeBits = 4;
inline constexpr int kEachBits = 1;
#else
inline constexpr int kProductThreads = 4;  // each thread costs a fiber
inline constexpr int kSmallBits = 0;
inline constexpr int kLargeBits = 1;
inline constexpr int kEachBits = 3;
#endif
inline constexpr int kEach = 1 << kEachBits;
inline constexpr int kLargeEdge = kEach << kLargeBits;
inline constexpr int kLargeDepthBits = 5;  // of k
inline constexpr int kSmallDepthBits = kLargeDepthBits + kLargeBits - kSmallBits;
static_assert(1 << (2 * kLargeBits) <= kProductThreads);

// One side of a square along a stage of k: rows of the left factor, or columns of the right one. After each line are
// four more elements, as padding, so that neighbours begin in different banks.
using Strip = Four[kLargeEdge * ((1 << kLargeDepthBits) / 4 + 1)];

struct SquareRoom {
    Strip sides[2][2];  // of this stage and of the next one
    float results[kLargeEdge][kLargeEdge + 1];
    float operands[kLargeEdge][kLargeEdge + 1];  // what the tail reads
};

struct Squares {
    int across_bits;  // this and the next two: of the number of threads, lines, and steps of k in a stage
    int edge_bits;
    int depth_bits;
    unsigned down, right, parts;  // numbers of squares in a column and in a row, and of parts of k
    unsigned count;

    __device__ int edge() const { return 1 << edge_bits; }
    __device__ int depth() const { return 1 << depth_bits; }
    __device__ int across() const { return 1 << across_bits; }
    __device__ int pitch() const { return (1 << (depth_bits - 2)) + 1; }
    __device__ int thread_down() const { return static_cast<int>(threadIdx.x) >> across_bits; }
    __device__ int thread_right() const { return static_cast<int>(threadIdx.x) & (across() - 1); }
};

// Small squares, if each block then has at most one; otherwise large ones.
__device__ inline Squares squares_of(const ProductWork& work, unsigned blocks) {
    Squares out{};
    out.parts = static_cast<unsigned>(parts_of(work));
    for (int bits = kSmallBits;; bits = kLargeBits) {
        out.across_bits = bits;
        out.edge_bits = bits + kEachBits;
        const auto less = static_cast<unsigned>(out.edge()) - 1;
        out.down = (static_cast<unsigned>(work.m) + less) >> out.edge_bits;
        out.right = (static_cast<unsigned>(work.n) + less) >> out.edge_bits;
        out.count = static_cast<unsigned>(work.batch) * out.down * out.right * out.parts;
        if (bits == kLargeBits || out.count <= blocks) {
            break;
        }
    }
    out.depth_bits = out.across_bits == kLargeBits ? kLargeDepthBits : kSmallDepthBits;
    return out;
}

// One square, and the part of k that it adds.
struct Square {
    unsigned batch, part;
    int top, side;
    int first, end;
};

__device__ inline Square square_at(const ProductWork& work, const Squares& squares, unsigned number) {
    const unsigned of_right = number / squares.parts;
    const unsigned of_down = of_right / squares.right;
    Square out{};
    out.part = number - of_right * squares.parts;
    out.batch = of_down / squares.down;
    out.top = static_cast<int>(of_down - out.batch * squares.down) << squares.edge_bits;
    out.side = static_cast<int>(of_right - of_down * squares.right) << squares.edge_bits;
    const auto k = static_cast<int>(work.k);
    const int part = squares.parts == 1 ? k : static_cast<int>(work.part);
    out.first = static_cast<int>(out.part) * part;
    out.end = k - out.first < part ? k : out.first + part;
    return out;
}

// The distance of elements; strides of these products have 32 bits.
__device__ inline std::int64_t way(int count, std::int64_t step) {
    return count * static_cast<std::int64_t>(static_cast<std::int32_t>(step));
}

// Begins to copy both sides of a stage. Lines after the end of a side become zeros.
__device__ inline void bring_stage(const ProductWork& work, const Squares& squares, const Square& square, int from,
                                   Strip (&to)[2]) {
    const int count = square.end - from;
    TENON_ROLLED for (int which = 0; which < 2; ++which) {
        const bool is_left = which == 0;
        const std::int64_t* const strides = is_left ? work.a_strides : work.b_strides;
        const std::int64_t line_step = is_left ? strides[1] : strides[2];
        const std::int64_t step = is_left ? strides[2] : strides[1];
        const int start = is_left ? square.top : square.side;
        const int lines = static_cast<int>(is_left ? work.m : work.n) - start;
        const float* const first =
            (is_left ? work.a : work.b) + square.batch * strides[0] + way(start, line_step) + way(from, step);
        const bool along = step == 1;
        const bool in_fours =
            along && line_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(first) % sizeof(Four) == 0;
        const int bits = in_fours ? 2 : 0;  // of the number of elements that are copied together
        const int high = along ? squares.depth_bits - bits : squares.edge_bits;
        const int elements = 1 << (squares.edge_bits + squares.depth_bits - bits);
        TENON_ROLLED for (int e = static_cast<int>(threadIdx.x); e < elements; e += kProductThreads) {
            const int slow = e >> high;
            const int fast = e & ((1 << high) - 1);
            const int line = along ? slow : fast;
            const int p = (along ? fast : slow) << bits;
            const int left = line < lines ? count - p : 0;
            Four& target = to[which][line * squares.pitch() + p / 4];
            const float* const at = left > 0 ? first + way(line, line_step) + way(p, step) : first;
            if (in_fours) {
                copy_async(target, at, left < 0 ? 0 : left < 4 ? left : 4);
            } else {
                copy_async(target.x[p % 4], at, left > 0);
            }
        }
    }
}

using Sums = float[kEach][kEach];

// The numbers that a thread multiplies for four steps along k.
struct Operands {
    Four left[kEach];
    Four right[kEach];
};

struct Reader {
    const Four* left;
    const Four* right;
    int apart;  // from one line of a thread to its next
};

__device__ inline void fetch(Operands& to, const Reader& from, int at) {
    TENON_UNROLL for (int i = 0; i < kEach; ++i) {
        to.left[i] = from.left[i * from.apart + at];
        to.right[i] = from.right[i * from.apart + at];
    }
}

__device__ inline void add_products(Sums& sums, const Operands& of, int count) {
    TENON_UNROLL for (int p = 0; p < 4; ++p) {
        if (p < count) {
            TENON_UNROLL for (int i = 0; i < kEach; ++i) {
                TENON_UNROLL for (int j = 0; j < kEach; ++j) {
                    sums[i][j] = fmaf(of.left[i].x[p], of.right[j].x[p], sums[i][j]);
                }
            }
        }
    }
}

// Reads the next operands while the present ones are multiplied. After the last ones it reads the padding between
// lines.
__device__ inline void multiply(const Squares& squares, const Strip (&sides)[2], int count, Sums& sums) {
    const int pitch = squares.pitch();
    const std::int64_t down = squares.thread_down();
    const std::int64_t right = squares.thread_right();
    const Reader reader{&sides[0][down * pitch], &sides[1][right * pitch], squares.across() * pitch};
    const int depth = count < squares.depth() ? count : squares.depth();
    Operands even;
    Operands odd;
    fetch(even, reader, 0);
    TENON_ROLLED for (int at = 0; at < depth; at += 8) {
        fetch(odd, reader, at / 4 + 1);
        add_products(sums, even, depth - at);
        if (at + 4 < depth) {
            fetch(even, reader, at / 4 + 2);
            add_products(sums, odd, depth - at - 4);
        }
    }
}

// Calls f(row, column), relative to the square, for each of its elements that the thread writes. Neighbouring threads
// write neighbouring elements.
__device__ inline void each_mine(const ProductWork& work, const Squares& squares, const Square& square, const auto& f) {
    const int rows = static_cast<int>(work.m) - square.top;
    const int columns = static_cast<int>(work.n) - square.side;
    TENON_ROLLED for (int e = static_cast<int>(threadIdx.x); e < 1 << (2 * squares.edge_bits); e += kProductThreads) {
        const int row = e >> squares.edge_bits;
        const int column = e & (squares.edge() - 1);
        if (row < rows && column < columns) {
            f(row, column);
        }
    }
}

// Begins the sums with the bias.
__device__ inline void begin_sums(const ProductWork& work, const Squares& squares, const Square& square, Sums& sums) {
    TENON_UNROLL for (int j = 0; j < kEach; ++j) {
        const int column = square.side + squares.thread_right() + j * squares.across();
        const float bias = squares.parts == 1 ? bias_of(work, square.batch, column) : 0.0F;
        TENON_UNROLL for (int i = 0; i < kEach; ++i) {
            sums[i][j] = bias;
        }
    }
}

__device__ inline void give_sums(const Squares& squares, const Sums& sums, SquareRoom& room) {
    TENON_UNROLL for (int i = 0; i < kEach; ++i) {
        TENON_UNROLL for (int j = 0; j < kEach; ++j) {
            room.results[squares.thread_down() + i * squares.across()][squares.thread_right() + j * squares.across()] =
                sums[i][j];
        }
    }
}

// Begins to copy the tail's operands for the thread's elements.
__device__ inline void fetch_operands(const ProductWork& work, const Squares& squares, const Square& square,
                                      SquareRoom& room) {
    if (work.with != nullptr && squares.parts == 1) {
        const float* const with =
            work.with + square.batch * work.with_batch + way(square.top, work.with_row) + square.side;
        each_mine(work, squares, square, [&](int row, int column) {
            copy_async(room.operands[row][column], with + way(row, work.with_row) + column);
        });
    }
}

__device__ inline void write_square(const ProductWork& work, const Squares& squares, const Square& square,
                                    const SquareRoom& room) {
    const bool is_whole = squares.parts == 1;
    const std::int64_t step = is_whole ? work.c_row : work.n;
    float* const to = (is_whole ? work.c + square.batch * work.c_batch
                                : work.partial + (square.part * work.batch + square.batch) * work.m * work.n) +
                      way(square.top, step) + square.side;
    each_mine(work, squares, square, [&](int row, int column) {
        const float sum = room.results[row][column];
        to[way(row, step) + column] = is_whole ? finished(work, sum, room.operands[row][column]) : sum;
    });
}

// Copies the next stage while it multiplies the present one. The next stage may belong to the block's next square.
__device__ inline void product(const ProductWork& work, Blocks blocks) {
    __shared__ SquareRoom room;
    const Squares squares = squares_of(work, blocks.count);
    const bool computes = static_cast<int>(threadIdx.x) < 1 << (2 * squares.across_bits);
    unsigned next_number = blocks.index;
    Square square{};
    Square next{};
    int from = 0;
    int next_from = 0;
    Sums sums;
    TENON_ROLLED for (int turn = 0;; ++turn) {  // copies a stage, and multiplies the one before
        const bool ends = turn > 0 && square.end - from <= squares.depth();
        if (ends) {
            fetch_operands(work, squares, square, room);
        }
        end_copies();
        if (next_number < squares.count) {
            if (next_from == next.end) {
                next = square_at(work, squares, next_number);
                next_from = next.first;
            }
            bring_stage(work, squares, next, next_from, room.sides[turn & 1]);
        }
        end_copies();
        if (turn > 0) {
            wait_for_older_copies<2>();
            __syncthreads();
            if (computes) {
                multiply(squares, room.sides[1 - (turn & 1)], square.end - from, sums);
            }
            if (ends) {
                if (computes) {
                    give_sums(squares, sums, room);
                }
                wait_for_older_copies<1>();
                __syncthreads();
                write_square(work, squares, square, room);
            }
            __syncthreads();
        }
        if (next_number >= squares.count) {
            break;
        }
        if (next_from == next.first && computes) {
            begin_sums(work, squares, next, sums);
        }
        square = next;
        from = next_from;
        next_from = square.end - from > squares.depth() ? from + squares.depth() : square.end;
        next_number += next_from == square.end ? blocks.count : 0;
    }
}

}  // namespace tenon::compiled::device
