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

}  // namespace tenon::compiled::device

// One element after the other; a thread for each result.
extern "C" __global__ void tenon_reduce(tenon::compiled::device::ReduceWork work) {
    using namespace tenon::compiled::device;
    for (std::int64_t i = first_of_thread(); i < work.outputs; i += all_threads()) {
        const float* x =
            static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, i);
        float total = x[0];
        for (std::int64_t j = 1; j < work.reduced; ++j) {
            total = joined(work.joining, total,
                           x[offset_of(work.x.shape, work.x.strides, work.kept, work.x.shape.rank, j)]);
        }
        store_reduced(work, i, total);
    }
}

// A block for each result: long runs have sums side by side, and what they come to is added in double.
extern "C" __global__ void tenon_reduce_runs(tenon::compiled::device::ReduceWork work) {
    using namespace tenon::compiled::device;
    __shared__ float parts[kSide];
    const std::int32_t last = work.x.shape.rank - 1;
    const std::int64_t length = work.x.shape.size[last];
    const std::int64_t step = work.x.strides.along[last];
    const bool side_by_side = work.joining == Joining::kSum && step == 1 && length >= kSide;
    for (std::int64_t i = blockIdx.x; i < work.outputs; i += gridDim.x) {
        const float* all =
            static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, i);
        double total = 0;
        for (std::int64_t r = 0; r < work.reduced / length; ++r) {
            const float* x = all + offset_of(work.x.shape, work.x.strides, work.kept, last, r);
            double part = work.joining == Joining::kSum ? 0.0 : static_cast<double>(x[0]);
            if (side_by_side) {
                for (std::int64_t from = 0; from < length; from += kChunk) {
                    const std::int64_t n = length - from < kChunk ? length - from : kChunk;
                    for (int lane = static_cast<int>(threadIdx.x); lane < kSide; lane += static_cast<int>(blockDim.x)) {
                        float sum = 0;
                        for (std::int64_t at = lane; at < n; at += kSide) {
                            sum += x[from + at];
                        }
                        parts[lane] = sum;
                    }
                    __syncthreads();
                    for (int lane = 0; threadIdx.x == 0 && lane < kSide; ++lane) {
                        part += static_cast<double>(parts[lane]);
                    }
                    __syncthreads();
                }
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
