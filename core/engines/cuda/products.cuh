// SPDX-License-Identifier: Apache-2.0
// Matrix products. Each element is one chain of fused multiply-adds over k, as in the tiles of the CPU, so it has the
// CPU's bits however the result is cut into tiles. A long k is cut into parts: otherwise a gradient over many rows
// would keep a few blocks busy for milliseconds. The cut depends on the shape alone. This file has what all products
// share, and the products whose elements are added in lanes. Small products are in products_small.cuh. Large ones have
// separate kernels: those with a long k (products_long.cuh, products_few.cuh), and those of many rows
// (products_wide.cuh, products_narrow.cuh).
#pragma once

#include <cstdint>

#include "engines/compiled/codes.hpp"
#include "engines/cuda/one_number.cuh"
#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

// The element of the tail's input at the same place.
__device__ inline float operand_of(const ProductWork& work, std::int64_t batch, std::int64_t row, std::int64_t column) {
    return work.with == nullptr ? 0.0F : work.with[batch * work.with_batch + row * work.with_row + column];
}

template <Tail kTail>
__device__ inline float finished_by(float x, float operand) {
    if constexpr (kTail == Tail::kRelu) {
        return x <= 0.0F ? 0.0F : x;
    } else if constexpr (kTail == Tail::kWherePositive) {
        return operand > 0.0F ? x : 0.0F;
    } else if constexpr (kTail == Tail::kTanhSlope) {
        return x * fmaf(-operand, operand, 1.0F);
    } else if constexpr (kTail == Tail::kTanh) {
        return simd::one_tanh::tanh_of<true>(x);
    } else {
        return x;
    }
}

template <Tail kTail>
struct TailOf {
    static constexpr Tail kValue = kTail;
};

// Calls f with the tail as a type, so that there is one switch for many elements.
__device__ inline void with_tail(Tail tail, const auto& f) {
    switch (tail) {
        case Tail::kRelu:
            return f(TailOf<Tail::kRelu>{});
        case Tail::kWherePositive:
            return f(TailOf<Tail::kWherePositive>{});
        case Tail::kTanhSlope:
            return f(TailOf<Tail::kTanhSlope>{});
        case Tail::kTanh:
            return f(TailOf<Tail::kTanh>{});
        default:
            return;
    }
}

__device__ inline float finished(const ProductWork& work, float x, float operand) {
    with_tail(static_cast<Tail>(work.tail), [&](auto tail) { x = finished_by<decltype(tail)::kValue>(x, operand); });
    return x;
}

__device__ inline float bias_of(const ProductWork& work, std::int64_t batch, std::int64_t column) {
    return work.bias != nullptr && column < work.n ? work.bias[batch * work.bias_stride + column] : 0.0F;
}

struct Spot {
    std::int64_t batch, row, column;
};

// The place of an element of the result, by its number. After the last column comes the sum of a row.
__device__ inline Spot spot_of(const ProductWork& work, std::int64_t number) {
    const Cell of_row = cell_of(number, columns_of_part(work));
    const Cell of_batch = cell_of(of_row.row, work.m);
    return {of_batch.row, of_batch.column, of_row.column};
}

__device__ inline std::int64_t parts_of(const ProductWork& work) {
    return work.partial == nullptr ? 1 : quotient(work.k + work.part - 1, work.part);
}

// A result of few rows or columns: each element is sixteen sums, which are added by halves, and then the rest of k.
// Each thread has one of the sums.
inline constexpr int kLanes = 16;
inline constexpr int kLaneResults = 16;  // of a block, at the same time

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
        TENON_ROLLED for (int item = static_cast<int>(threadIdx.x); item < count * kLanes;
                          item += static_cast<int>(blockDim.x)) {
            const Chain chain = chain_of(first + item / kLanes);
            float sum = 0;
            for (std::int64_t p = item % kLanes; p < whole; p += kLanes) {
                sum = fmaf(chain.a[p * chain.a_step], chain.b[p * chain.b_step], sum);
            }
            sums[item / kLanes][item % kLanes] = sum;
        }
        __syncthreads();
        TENON_ROLLED for (int r = static_cast<int>(threadIdx.x); r < count; r += static_cast<int>(blockDim.x)) {
            for (int half = kLanes / 2; half > 0; half /= 2) {
                for (int lane = 0; lane < half; ++lane) {
                    sums[r][lane] += sums[r][lane + half];
                }
            }
            const std::int64_t i = first + r;
            const auto [batch, row, column] = spot_of(work, i);
            const Chain chain = chain_of(i);
            float total = sums[r][0] + bias_of(work, batch, column);
            TENON_ROLLED for (std::int64_t p = whole; p < work.k; ++p) {
                total = fmaf(chain.a[p * chain.a_step], chain.b[p * chain.b_step], total);
            }
            work.c[batch * work.c_batch + row * work.c_row + column] =
                finished(work, total, operand_of(work, batch, row, column));
        }
        __syncthreads();
    }
}

}  // namespace tenon::compiled::device
