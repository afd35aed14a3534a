// SPDX-License-Identifier: Apache-2.0
// Recurrences over time with the CPU's bits (base/simd/estimators.cpp): one thread goes through the steps of a chain.
#pragma once

#include <cstdint>

#include "compute/compiled/device/places.cuh"

#ifdef __CUDACC__
#define TENON_SIMD_INLINE __device__ __forceinline__
#else
#define TENON_SIMD_INLINE inline
#endif
#include "base/simd/one_step.hpp"
#undef TENON_SIMD_INLINE

namespace tenon::compiled::device {

// The chain whose first step is element `first`.
template <class Estimator>
__device__ inline void go_back(const ScanWork& work, std::int64_t first) {
    simd::Steps<float> in = work.in;
    in.gamma = work.gamma != nullptr ? *work.gamma : 0;
    in.lambda = work.lambda != nullptr ? *work.lambda : 0;
    const std::int64_t inner = work.extents.inner;
    std::int64_t at = first + (work.extents.steps - 1) * inner;
    float later = Estimator::at(in, at, true).x;
    for (; at != first; at -= inner) {
        const simd::one_step::Term<float> term = Estimator::at(in, at - inner, false);
        const float now = term.x + term.decay * later;
        work.out[at] = Estimator::kAddsValue ? later + in.value[at] : later;
        later = now;
    }
    work.out[first] = Estimator::kAddsValue ? later + in.value[first] : later;
}

__device__ inline void go_linear(const ScanWork& work, std::int64_t first) {
    const float* decay = work.in.value;
    const float* x = work.in.reward;
    const std::int64_t inner = work.extents.inner;
    const std::int64_t stride = work.reverse != 0 ? -inner : inner;
    std::int64_t at = work.reverse != 0 ? first + (work.extents.steps - 1) * inner : first;
    float y = x[at];
    work.out[at] = y;
    for (std::int64_t step = 1; step < work.extents.steps; ++step) {
        at += stride;
        y = x[at] + decay[at] * y;
        work.out[at] = y;
    }
}

__device__ inline void scan(const ScanWork& work, Blocks blocks) {
    const simd::Extents& extents = work.extents;
    for (std::int64_t i = first_of_thread(blocks); i < extents.outer * extents.inner; i += all_threads(blocks)) {
        const auto [outer, inner] = cell_of(i, extents.inner);
        const std::int64_t first = outer * extents.steps * extents.inner + inner;
        switch (work.what) {
            case Recurrence::kLinear:
                go_linear(work, first);
                break;
            case Recurrence::kGae:
                go_back<simd::one_step::Gae>(work, first);
                break;
            case Recurrence::kTdLambda:
                go_back<simd::one_step::TdLambda>(work, first);
                break;
            case Recurrence::kRewardToGo:
                go_back<simd::one_step::RewardToGo>(work, first);
                break;
            default:
                go_back<simd::one_step::Vtrace>(work, first);
                break;
        }
    }
}

}  // namespace tenon::compiled::device
