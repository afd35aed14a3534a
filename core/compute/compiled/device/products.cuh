// SPDX-License-Identifier: Apache-2.0
// Matrix products. Each element is one chain of fused multiply-adds over k, as in the tiles of the CPU, so that it has
// the CPU's bits however the result is cut into tiles.
#pragma once

#include <cstdint>

#include "compute/compiled/codes.hpp"
#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

inline constexpr int kTile = 32;   // rows and columns of the result that a block computes at a time
inline constexpr int kDepth = 16;  // of k, at a time in shared memory
#ifdef __CUDACC__
inline constexpr int kProductThreads = 256;
#else
inline constexpr int kProductThreads = 4;  // each costs a fiber
#endif
inline constexpr int kSums = kTile * kTile / kProductThreads;  // of a thread

__device__ inline float finished(const ProductWork& work, std::int64_t batch, std::int64_t row, std::int64_t column,
                                 float x) {
    const auto beside = [&] { return work.with[batch * work.with_batch + row * work.with_row + column]; };
    switch (static_cast<Tail>(work.tail)) {
        case Tail::kRelu:
            return x <= 0.0F ? 0.0F : x;
        case Tail::kWherePositive:
            return beside() > 0.0F ? x : 0.0F;
        case Tail::kTanhSlope: {
            const float with = beside();
            return x * fmaf(-with, with, 1.0F);
        }
        default:
            return x;
    }
}

// A result of few rows or columns: sixteen sums, added up by halves, and what is left over of k after them.
__device__ inline float by_lanes(const float* a, std::int64_t a_step, const float* b, std::int64_t b_step,
                                 std::int64_t k, float bias) {
    constexpr int kLanes = 16;
    float sums[kLanes] = {};
    const std::int64_t whole = k / kLanes * kLanes;
    for (std::int64_t p = 0; p < whole; p += kLanes) {
        for (int lane = 0; lane < kLanes; ++lane) {
            sums[lane] = fmaf(a[(p + lane) * a_step], b[(p + lane) * b_step], sums[lane]);
        }
    }
    for (int half = kLanes / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    float total = sums[0] + bias;
    for (std::int64_t p = whole; p < k; ++p) {
        total = fmaf(a[p * a_step], b[p * b_step], total);
    }
    return total;
}

}  // namespace tenon::compiled::device

extern "C" __global__ void tenon_product_by_lanes(tenon::compiled::device::ProductWork work) {
    using namespace tenon::compiled::device;
    for (std::int64_t i = first_of_thread(); i < work.batch * work.m * work.n; i += all_threads()) {
        const std::int64_t batch = i / (work.m * work.n);
        const std::int64_t row = i / work.n % work.m;
        const std::int64_t column = i % work.n;
        const float bias = work.bias == nullptr ? 0.0F : work.bias[batch * work.bias_stride + column];
        const float x =
            by_lanes(work.a + batch * work.a_strides[0] + row * work.a_strides[1], work.a_strides[2],
                     work.b + batch * work.b_strides[0] + column * work.b_strides[2], work.b_strides[1], work.k, bias);
        work.c[batch * work.c_batch + row * work.c_row + column] = finished(work, batch, row, column, x);
    }
}

extern "C" __global__ void tenon_product(tenon::compiled::device::ProductWork work) {
    using namespace tenon::compiled::device;
    __shared__ float left[kDepth][kTile + 1];
    __shared__ float right[kDepth][kTile + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t down = (work.m + kTile - 1) / kTile;
    const std::int64_t across = (work.n + kTile - 1) / kTile;
    const bool a_along_k = work.a_strides[2] == 1;  // neighbours read neighbours
    const bool b_along_k = work.b_strides[1] == 1;
    for (std::int64_t tile = blockIdx.x; tile < work.batch * down * across; tile += gridDim.x) {
        const std::int64_t batch = tile / (down * across);
        const std::int64_t top = tile / across % down * kTile;
        const std::int64_t side = tile % across * kTile;
        const float* a = work.a + batch * work.a_strides[0];
        const float* b = work.b + batch * work.b_strides[0];
        float sums[kSums];
        for (int s = 0; s < kSums; ++s) {
            const std::int64_t column = side + (thread + s * kProductThreads) % kTile;
            sums[s] = work.bias != nullptr && column < work.n ? work.bias[batch * work.bias_stride + column] : 0.0F;
        }
        for (std::int64_t from = 0; from < work.k; from += kDepth) {
            const int depth = static_cast<int>(work.k - from < kDepth ? work.k - from : kDepth);
            for (int e = thread; e < kTile * kDepth; e += kProductThreads) {
                const int p = a_along_k ? e % kDepth : e / kTile;
                const int i = a_along_k ? e / kDepth : e % kTile;
                left[p][i] = p < depth && top + i < work.m
                                 ? a[(top + i) * work.a_strides[1] + (from + p) * work.a_strides[2]]
                                 : 0.0F;
            }
            for (int e = thread; e < kTile * kDepth; e += kProductThreads) {
                const int p = b_along_k ? e % kDepth : e / kTile;
                const int j = b_along_k ? e / kDepth : e % kTile;
                right[p][j] = p < depth && side + j < work.n
                                  ? b[(from + p) * work.b_strides[1] + (side + j) * work.b_strides[2]]
                                  : 0.0F;
            }
            __syncthreads();
            for (int p = 0; p < depth; ++p) {
                for (int s = 0; s < kSums; ++s) {
                    const int e = thread + s * kProductThreads;
                    sums[s] = fmaf(left[p][e / kTile], right[p][e % kTile], sums[s]);
                }
            }
            __syncthreads();
        }
        for (int s = 0; s < kSums; ++s) {
            const int e = thread + s * kProductThreads;
            const std::int64_t row = top + e / kTile;
            const std::int64_t column = side + e % kTile;
            if (row < work.m && column < work.n) {
                work.c[batch * work.c_batch + row * work.c_row + column] = finished(work, batch, row, column, sums[s]);
            }
        }
    }
}
