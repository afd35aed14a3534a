// SPDX-License-Identifier: Apache-2.0
// Matrix products of many rows and up to four columns, whose elements are added in lanes (product_by_lanes). Reading
// memory limits their speed. So four threads share a row, each with four of its lanes, and read it sixteen bytes at a
// time.
#pragma once

#include <cstdint>

#include "engines/cuda/places.cuh"
#include "engines/cuda/products.cuh"
#include "engines/cuda/products_wide.cuh"

namespace tenon::compiled::device {

inline constexpr int kNarrowThreads = 2 * kWideThreads;
inline constexpr int kNarrowColumns = 4;
inline constexpr int kNarrowDepth = 512;
inline constexpr int kLaneFours = kLanes / 4;
inline constexpr int kRowsOfThread = 2;
inline constexpr int kNarrowRows = kNarrowThreads / kLaneFours * kRowsOfThread;  // of a block, at the same time

struct NarrowRoom {
    Four right[kNarrowColumns][kNarrowDepth / 4];
    Four sums[kNarrowRows][kNarrowColumns + 1][kLaneFours];  // the last column is padding against bank conflicts
};

__device__ inline void add_lanes(const ProductWork& work, const float* a, NarrowRoom& room, int rows) {
    const int lane = static_cast<int>(threadIdx.x) % kLaneFours;
    const int row = static_cast<int>(threadIdx.x) / kLaneFours;
    Four sums[kRowsOfThread][kNarrowColumns] = {};
    const int whole = static_cast<int>(work.k) / kLanes;
    const Four* from[kRowsOfThread];
    TENON_UNROLL for (int i = 0; i < kRowsOfThread; ++i) {
        const int r = row + i * (kNarrowThreads / kLaneFours);
        from[i] = reinterpret_cast<const Four*>(a + (r < rows ? r : 0) * work.a_strides[1]) + lane;
    }
#ifdef __CUDACC__
#pragma unroll 4
#endif
    for (int q = 0; q < whole; ++q) {
        Four left[kRowsOfThread];
        TENON_UNROLL for (int i = 0; i < kRowsOfThread; ++i) {
            left[i] = from[i][std::int64_t{q} * kLaneFours];
        }
        TENON_UNROLL for (int j = 0; j < kNarrowColumns; ++j) {
            if (j < work.n) {
                const Four right = room.right[j][q * kLaneFours + lane];
                TENON_UNROLL for (int i = 0; i < kRowsOfThread; ++i) {
                    TENON_UNROLL for (int x = 0; x < 4; ++x) {
                        sums[i][j].x[x] = fmaf(left[i].x[x], right.x[x], sums[i][j].x[x]);
                    }
                }
            }
        }
    }
    TENON_UNROLL for (int i = 0; i < kRowsOfThread; ++i) {
        TENON_UNROLL for (int j = 0; j < kNarrowColumns; ++j) {
            if (j < work.n) {
                room.sums[row + i * (kNarrowThreads / kLaneFours)][j][lane] = sums[i][j];
            }
        }
    }
}

// Adds by halves, as product_by_lanes does.
__device__ inline float total_of(const Four (&lanes)[kLaneFours]) {
    Four sum;
    TENON_UNROLL for (int x = 0; x < 4; ++x) {
        sum.x[x] = (lanes[0].x[x] + lanes[2].x[x]) + (lanes[1].x[x] + lanes[3].x[x]);
    }
    return (sum.x[0] + sum.x[2]) + (sum.x[1] + sum.x[3]);
}

__device__ inline void product_narrow(const ProductWork& work, Blocks blocks) {
    __shared__ NarrowRoom room;
    const int thread = static_cast<int>(threadIdx.x);
    const int n = static_cast<int>(work.n);
    const int k = static_cast<int>(work.k);
    for (std::int64_t batch = 0; batch < work.batch; ++batch) {
        const float* const a = work.a + batch * work.a_strides[0];
        const float* const b = work.b + batch * work.b_strides[0];
        for (int e = thread; e < n * k; e += kNarrowThreads) {
            room.right[e % n][e / n / 4].x[e / n % 4] = b[e / n * work.b_strides[1] + e % n * work.b_strides[2]];
        }
        __syncthreads();
        for (std::int64_t top = std::int64_t{blocks.index} * kNarrowRows; top < work.m;
             top += std::int64_t{blocks.count} * kNarrowRows) {
            const int rows = static_cast<int>(work.m - top < kNarrowRows ? work.m - top : kNarrowRows);
            add_lanes(work, a + top * work.a_strides[1], room, rows);
            __syncthreads();
            for (int e = thread; e < rows * n; e += kNarrowThreads) {
                const int r = e / n;
                const int j = e % n;
                const std::int64_t row = top + r;
                float total = total_of(room.sums[r][j]) + bias_of(work, batch, j);
                for (int p = k / kLanes * kLanes; p < k; ++p) {
                    total = fmaf(a[row * work.a_strides[1] + p], room.right[j][p / 4].x[p % 4], total);
                }
                work.c[batch * work.c_batch + row * work.c_row + j] =
                    finished(work, total, operand_of(work, batch, row, j));
            }
            __syncthreads();
        }
    }
}

}  // namespace tenon::compiled::device
