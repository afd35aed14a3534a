// SPDX-License-Identifier: Apache-2.0
// The memory of a side of a large product with a long k, and how the sums of parts become the result of any product.
#pragma once

#include <cstdint>

#include "engines/cuda/long_sums.hpp"
#include "engines/cuda/places.cuh"
#include "engines/cuda/products.cuh"
#include "engines/cuda/reductions.cuh"

namespace tenon::compiled::device {

// One side in memory: rows of a or columns of b.
struct Lines {
    const float* at;
    std::int64_t count;
    std::int64_t line_step, step;
    bool along_k;   // whether neighbours are along k
    bool in_fours;  // whether four neighbours can be read at once
};

// The lines of a batch's `a`, or of its `b`.
__device__ inline Lines lines_of(const ProductWork& work, std::int64_t batch, bool of_b) {
    const float* const at = of_b ? work.b + batch * work.b_strides[0] : work.a + batch * work.a_strides[0];
    const std::int64_t count = of_b ? work.n : work.m;
    const std::int64_t line_step = of_b ? work.b_strides[2] : work.a_strides[1];
    const std::int64_t step = of_b ? work.b_strides[1] : work.a_strides[2];
    const bool along_k = step == 1 && line_step != 1;
    const auto apart = static_cast<std::uintptr_t>(along_k ? line_step : step) * sizeof(float);
    const bool aligned = (reinterpret_cast<std::uintptr_t>(at) | apart) % sizeof(Four) == 0;
    return {.at = at,
            .count = count,
            .line_step = line_step,
            .step = step,
            .along_k = along_k,
            .in_fours = aligned && (along_k || (line_step == 1 && count % 4 == 0))};
}

// Writes an element of the result, or one part of it.
__device__ inline void leave_part(const ProductWork& work, std::int64_t parts, std::int64_t part, const Spot& spot,
                                  float sum) {
    if (parts > 1) {
        const std::int64_t row = (part * work.batch + spot.batch) * work.m + spot.row;
        work.partial[row * columns_of_part(work) + spot.column] = sum;
        return;
    }
    work.c[spot.batch * work.c_batch + spot.row * work.c_row + spot.column] = finished(
        work, sum + bias_of(work, spot.batch, spot.column), operand_of(work, spot.batch, spot.row, spot.column));
}

// Adds the sums of the parts of k.
__device__ inline void add_parts(const ProductWork& work, Blocks blocks) {
    float* const sums = shared_sums();
    const std::int64_t parts = count_of_parts(work.k, work.part);
    const std::int64_t size = work.batch * work.m * columns_of_part(work);
    const Table table{work.partial, size, size};
    const int width = joining_width(work);
    for (std::int64_t left = std::int64_t{blocks.index} * width * 4; left < size;
         left += std::int64_t{blocks.count} * width * 4) {
        join_table(Joining::kSum, table, width, left, 0, parts, sums);
        for (int i = static_cast<int>(threadIdx.x); i < width * 4 && left + i < size;
             i += static_cast<int>(blockDim.x)) {
            const auto [batch, row, column] = spot_of(work, left + i);
            if (column == work.n) {
                work.row_sums[row] = sums[i];
                continue;
            }
            work.c[batch * work.c_batch + row * work.c_row + column] =
                finished(work, bias_of(work, batch, column) + sums[i], operand_of(work, batch, row, column));
        }
        __syncthreads();
    }
}

}  // namespace tenon::compiled::device
