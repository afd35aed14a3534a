// SPDX-License-Identifier: Apache-2.0
// Sums and extremes, in the order of the CPU's (kernels/reductions.inc), which depends on the shape alone.
#pragma once

#include <cstdint>

#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

inline constexpr int kSide = 32;     // sums of a run side by side
inline constexpr int kChunk = 4096;  // elements that they add up before they become one

// The second number where it is better, or is none; the first stays if it is none.
template <class T>
__device__ inline T joined(Joining joining, T a, T b) {
    if (joining == Joining::kSum) {
        return a + b;
    }
    const bool better = joining == Joining::kMax ? b > a : b < a;
    return a != a ? a : (b != b || better ? b : a);
}

__device__ inline void store_reduced(const ReduceWork& work, std::int64_t number, float total) {
    work.out[offset_of(work.x.shape, work.out_strides, 0, work.kept, number)] = total;
}

// Elements from `first` to before `end` that are `step` apart, one after the other. Many are read before they are
// added, because a thread would wait for each otherwise.
__device__ inline float reduced_along(Joining joining, const float* x, std::int64_t step, std::int64_t first,
                                      std::int64_t end) {
    constexpr int kAtOnce = 64;
    float total = x[first * step];
    std::int64_t j = first + 1;
    for (; j + kAtOnce <= end; j += kAtOnce) {
        float next[kAtOnce];
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            next[i] = x[(j + i) * step];
        }
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            total = joined(joining, total, next[i]);
        }
    }
    for (; j < end; ++j) {
        total = joined(joining, total, x[j * step]);
    }
    return total;
}

__device__ inline float reduced_in_order(const ReduceWork& work, std::int64_t output, std::int64_t first,
                                         std::int64_t end) {
    const float* x =
        static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, output);
    if (work.kept + 1 == work.x.shape.rank) {
        const std::int64_t step = work.x.strides.along[work.kept];
        return work.joining == Joining::kSum ? reduced_along(Joining::kSum, x, step, first, end)
                                             : reduced_along(work.joining, x, step, first, end);
    }
    const auto at = [&](std::int64_t j) {
        return x[offset_of(work.x.shape, work.x.strides, work.kept, work.x.shape.rank, j)];
    };
    float total = at(first);
    for (std::int64_t j = first + 1; j < end; ++j) {
        total = joined(work.joining, total, at(j));
    }
    return total;
}

// A thread for each result.
__device__ inline void reduce(const ReduceWork& work, Blocks blocks) {
    for (std::int64_t i = first_of_thread(blocks); i < work.outputs; i += all_threads(blocks)) {
        store_reduced(work, i, reduced_in_order(work, i, 0, work.reduced));
    }
}

// A thread for each part of a result. Neighbours have the same part of neighbouring results.
__device__ inline void reduce_parts(const ReduceWork& work, Blocks blocks) {
    const std::int64_t parts = quotient(work.reduced + work.part - 1, work.part);
    for (std::int64_t i = first_of_thread(blocks); i < work.outputs * parts; i += all_threads(blocks)) {
        const auto [part, output] = cell_of(i, work.outputs);
        const std::int64_t first = part * work.part;
        const std::int64_t end = first + work.part < work.reduced ? first + work.part : work.reduced;
        work.partial[i] = reduced_in_order(work, output, first, end);
    }
}

// The sum of a run, by all threads of a block: sums side by side of every chunk, which are then added in double.
__device__ inline double sum_of_run(const float* x, std::int64_t length) {
    constexpr int kChunks = 32;  // at once
    __shared__ float parts[kChunks * kSide];
    double total = 0;
    for (std::int64_t from = 0; from < length; from += std::int64_t{kChunks} * kChunk) {
        const std::int64_t left = (length - from + kChunk - 1) / kChunk;
        const int sums = static_cast<int>(left < kChunks ? left : kChunks) * kSide;
        for (int s = static_cast<int>(threadIdx.x); s < sums; s += static_cast<int>(blockDim.x)) {
            const std::int64_t begin = from + std::int64_t{s / kSide} * kChunk;
            const float* chunk = x + begin;
            const std::int64_t rest = length - begin;
            const int n = static_cast<int>(rest < kChunk ? rest : kChunk);
            float sum = 0;
            for (int at = s % kSide; at < n; at += kSide) {
                sum += chunk[at];
            }
            parts[s] = sum;
        }
        __syncthreads();
        for (int chunk = 0; threadIdx.x == 0 && chunk < sums; chunk += kSide) {
            for (int lane = 0; lane < kSide; ++lane) {
                total += static_cast<double>(parts[chunk + lane]);
            }
        }
        __syncthreads();
    }
    return total;
}

// A block for each result.
__device__ inline void reduce_runs(const ReduceWork& work, Blocks blocks) {
    const std::int32_t last = work.x.shape.rank - 1;
    const std::int64_t length = work.x.shape.size[last];
    const std::int64_t step = work.x.strides.along[last];
    const std::int64_t runs = quotient(work.reduced, length);
    const bool side_by_side = work.joining == Joining::kSum && step == 1 && length >= kSide;
    for (std::int64_t i = blocks.index; i < work.outputs; i += blocks.count) {
        const float* all =
            static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, i);
        double total = 0;
        for (std::int64_t r = 0; r < runs; ++r) {
            const float* x = all + offset_of(work.x.shape, work.x.strides, work.kept, last, r);
            double part = work.joining == Joining::kSum ? 0.0 : static_cast<double>(x[0]);
            if (side_by_side) {
                part = sum_of_run(x, length);
            } else if (threadIdx.x == 0) {
                for (std::int64_t at = work.joining == Joining::kSum ? 0 : 1; at < length; ++at) {
                    part = joined(work.joining, part, static_cast<double>(x[at * step]));
                }
            }
            total = r == 0 ? part : joined(work.joining, total, part);
        }
        if (threadIdx.x == 0) {
            store_reduced(work, i, static_cast<float>(total));
        }
    }
}

}  // namespace tenon::compiled::device
