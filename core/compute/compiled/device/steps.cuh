// SPDX-License-Identifier: Apache-2.0
// What happens to gradients and parameters at the end of a stage: their norm, targets. For the steps
// of optimisers see optimisers.cuh.
#pragma once

#include <cmath>
#include <cstdint>

#include "compute/compiled/device/places.cuh"
#include "compute/parameters/lerp.hpp"

namespace tenon::compiled::device {

// As compute/parameters/clip.cpp cuts a sum.
inline constexpr int kNormSums = 16;
inline constexpr int kNormParts = 16;
inline constexpr std::int64_t kNormCut = 32768;  // a larger slab is cut into parts
inline constexpr int kNormHeld = 2048;           // elements in shared memory; a multiple of kNormSums

// Shared memory of the norm and of LAMB's rates. A run has it once.
union SumRoom {
    double sums[2][kNormParts * kNormSums];
    float held[kNormHeld];
};

__device__ inline SumRoom& sum_room() {
    __shared__ SumRoom room;
    return room;
}

__device__ inline bool is_finite(const double* norm) {
    return *norm - *norm == 0.0;
}

// The squares of every sixteenth element, from `first` on, and before `end`, added one after the other.
__device__ inline double add_squares(const float* values, std::int64_t first, std::int64_t end, double sum) {
    constexpr int kAtOnce = 16;  // read before they are added
    constexpr std::int64_t kFurther = std::int64_t{kAtOnce} * kNormSums;
    std::int64_t i = first;
    for (; i + kFurther - kNormSums < end; i += kFurther) {
        double x[kAtOnce];
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            x[n] = static_cast<double>(values[i + std::int64_t{n} * kNormSums]);
        }
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            sum += x[n] * x[n];
        }
    }
    for (; i < end; i += kNormSums) {
        const double x = static_cast<double>(values[i]);
        sum += x * x;
    }
    return sum;
}

__device__ inline void scale(const ScaleWork& work, Blocks blocks) {
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        work.values[i] *= work.factor;
    }
}

// One block. As long as a slab is not cut into parts, sixteen threads add it up, so the others bring it near.
__device__ inline void norm(const NormWork& work, Blocks blocks) {
    __shared__ double sums[kNormSums];
    double* const parts = sum_room().sums[0];
    float* const held = sum_room().held;
    if (blocks.index != 0) {
        return;
    }
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    for (int k = thread; k < kNormSums; k += threads) {
        sums[k] = 0;
    }
    for (std::int32_t network = 0; network < work.count; ++network) {
        const float* values = work.gradients[network];
        const std::int64_t size = work.sizes[network];
        if (size < kNormCut) {
            for (std::int64_t from = 0; from < size; from += kNormHeld) {
                const int count = static_cast<int>(size - from < kNormHeld ? size - from : kNormHeld);
                for (int i = thread; i < count; i += threads) {
                    held[i] = values[from + i];
                }
                __syncthreads();
                for (int k = thread; k < kNormSums; k += threads) {
                    sums[k] = add_squares(held, k, count, sums[k]);
                }
                __syncthreads();
            }
            continue;
        }
        const std::int64_t part = ((size + kNormParts - 1) / kNormParts + kNormSums - 1) / kNormSums * kNormSums;
        for (int p = thread; p < kNormParts * kNormSums; p += threads) {
            const std::int64_t from = p / kNormSums * part < size ? p / kNormSums * part : size;
            const std::int64_t end = from + part < size ? from + part : size;
            parts[p] = add_squares(values, from + p % kNormSums, end, 0);
        }
        __syncthreads();
        for (int k = thread; k < kNormSums; k += threads) {
            for (int p = 0; p < kNormParts; ++p) {
                sums[k] += parts[p * kNormSums + k];
            }
        }
        __syncthreads();
    }
    __syncthreads();
    if (thread == 0) {
        double total = 0;
        for (const double sum : sums) {
            total += sum;
        }
        *work.norm = std::sqrt(total);
    }
}

__device__ inline void follow(const FollowWork& work, Blocks blocks) {
    if (!is_finite(work.norm)) {
        return;
    }
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        work.follower[i] = i < work.soft ? lerp(work.follower[i], work.live[i], *work.weight) : work.live[i];
    }
}

}  // namespace tenon::compiled::device
