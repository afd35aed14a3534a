// SPDX-License-Identifier: Apache-2.0
// The works at the end of a stage around the optimiser's step (optimisers.cuh): the norm, and the moves of targets.
#pragma once

#include <cmath>
#include <cstdint>

#include "compute/parameters/lerp.hpp"
#include "compute/parameters/squares.hpp"
#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

inline constexpr int kSums = static_cast<int>(kSquareSums);
inline constexpr int kTensorParts = 16;  // parts of a tensor whose norms LAMB computes
inline constexpr int kHeld = 2048;       // elements in shared memory; a multiple of kSums

// The shared memory for the norm and for LAMB's rates. A run has it once.
union SumRoom {
    double sums[2][kTensorParts * kSums];
    float held[kHeld];
};

__device__ inline SumRoom& sum_room() {
    __shared__ SumRoom room;
    return room;
}

__device__ inline bool is_finite(const double* norm) {
    return *norm - *norm == 0.0;
}

// Adds the squares of every sixteenth element, from `first` to before `end`, one after the other.
__device__ inline double add_squares(const float* values, std::int64_t first, std::int64_t end, double sum) {
    constexpr int kAtOnce = 16;  // read before they are added
    constexpr std::int64_t kFurther = std::int64_t{kAtOnce} * kSums;
    std::int64_t i = first;
    for (; i + kFurther - kSums < end; i += kFurther) {
        double x[kAtOnce];
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            x[n] = static_cast<double>(values[i + std::int64_t{n} * kSums]);
        }
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            sum += x[n] * x[n];
        }
    }
    for (; i < end; i += kSums) {
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

// The numbers that a thread has read of the next kHeld elements.
#ifdef __CUDACC__
inline constexpr int kPrefetchedValues = kHeld / 256;  // a block has no fewer threads
#else
inline constexpr int kPrefetchedValues = kHeld;
#endif

struct PrefetchedValues {
    float values[kPrefetchedValues];
};

__device__ inline PrefetchedValues prefetch_values(const float* values, std::int64_t count) {
    PrefetchedValues out;
    TENON_UNROLL for (int n = 0; n < kPrefetchedValues; ++n) {
        const unsigned i = threadIdx.x + static_cast<unsigned>(n) * blockDim.x;
        out.values[n] = i < kHeld && i < count ? values[i] : 0.0F;
    }
    return out;
}

// One block adds the squares. Sixteen threads add, so the other threads load the elements to shared memory; the next
// ones are read meanwhile.
__device__ inline void add_all_squares(const float* values, std::int64_t count, double* sums) {
    float* const held = sum_room().held;
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    PrefetchedValues next = prefetch_values(values, count);
    for (std::int64_t from = 0; from < count; from += kHeld) {
        const int here = static_cast<int>(count - from < kHeld ? count - from : kHeld);
        TENON_UNROLL for (int n = 0; n < kPrefetchedValues; ++n) {
            if (const int i = thread + n * threads; i < kHeld) {
                held[i] = next.values[n];
            }
        }
        __syncthreads();
        next = prefetch_values(values + from + kHeld, count - from - kHeld);
        for (int k = thread; k < kSums; k += threads) {
            sums[k] = add_squares(held, k, here, sums[k]);
        }
        __syncthreads();
    }
}

__device__ inline void squares(const SquaresWork& work, Blocks blocks) {
    for (std::int64_t part = blocks.index; part * work.part < work.count; part += blocks.count) {
        const std::int64_t from = part * work.part;
        double* const sums = work.sums + part * kSums;
        for (int k = static_cast<int>(threadIdx.x); k < kSums; k += static_cast<int>(blockDim.x)) {
            sums[k] = 0;
        }
        add_all_squares(work.values + from, work.count - from < work.part ? work.count - from : work.part, sums);
    }
}

__device__ inline double add_parts_of(const double* sums, std::int64_t parts, double sum) {
    constexpr int kAtOnce = 16;  // read before they are added
    std::int64_t p = 0;
    for (; p + kAtOnce <= parts; p += kAtOnce) {
        double x[kAtOnce];
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            x[n] = sums[(p + n) * kSums];
        }
        TENON_UNROLL for (int n = 0; n < kAtOnce; ++n) {
            sum += x[n];
        }
    }
    for (; p < parts; ++p) {
        sum += sums[p * kSums];
    }
    return sum;
}

// Computed by one block.
__device__ inline void norm(const NormWork& work, Blocks blocks) {
    __shared__ double sums[kSums];
    if (blocks.index != 0) {
        return;
    }
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    for (int k = thread; k < kSums; k += threads) {
        sums[k] = 0;
    }
    for (std::int32_t network = 0; network < work.count; ++network) {
        const std::int64_t size = work.sizes[network];  // the number of parts if it is large
        const double* const of_parts = work.sums[network];
        if (of_parts == nullptr) {
            add_all_squares(work.gradients[network], size, sums);
            continue;
        }
        for (int k = thread; k < kSums; k += threads) {
            sums[k] = add_parts_of(of_parts + k, size, sums[k]);
        }
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
