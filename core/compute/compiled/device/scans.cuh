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

// Steps whose inputs are read together, before the first of them is computed: a thread waits for memory once for all.
inline constexpr int kAhead = 8;

__device__ inline std::int64_t lesser(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}

// A value of the recurrence, and what is made of it.
template <class Estimator>
__device__ inline void leave(const ScanWork& work, std::int64_t at, float x, float value) {
    work.out[at] = Estimator::kAddsValue ? x + value : x;
    if (work.sums != nullptr) {
        work.sums[at] = x + value;
    }
}

// The chain whose first step is element `first`.
template <class Estimator>
__device__ inline void go_back(const ScanWork& work, std::int64_t first) {
    simd::Steps<float> in = work.in;
    in.gamma = work.gamma != nullptr ? *work.gamma : 0;
    in.lambda = work.lambda != nullptr ? *work.lambda : 0;
    const bool adds = Estimator::kAddsValue || work.sums != nullptr;
    const std::int64_t inner = work.extents.inner;
    std::int64_t left = work.extents.steps - 1;
    std::int64_t at = first + left * inner;
    float later = Estimator::at(in, at, true).x;
    float value = adds ? in.value[at] : 0;
    while (left > 0) {
        simd::one_step::Term<float> terms[kAhead];
        float values[kAhead];
        TENON_UNROLL
        for (int k = 0; k < kAhead; ++k) {
            const std::int64_t before = at - lesser(k + 1, left) * inner;
            terms[k] = Estimator::at(in, before, false);
            values[k] = adds ? in.value[before] : 0;
        }
        TENON_UNROLL
        for (int k = 0; k < kAhead; ++k) {
            if (k < left) {
                leave<Estimator>(work, at, later, value);
                later = terms[k].x + terms[k].decay * later;
                value = values[k];
                at -= inner;
            }
        }
        left -= lesser(kAhead, left);
    }
    leave<Estimator>(work, at, later, value);
}

__device__ inline void go_linear(const ScanWork& work, std::int64_t first) {
    const float* decay = work.in.value;
    const float* x = work.in.reward;
    const std::int64_t inner = work.extents.inner;
    const std::int64_t stride = work.reverse != 0 ? -inner : inner;
    std::int64_t left = work.extents.steps - 1;
    std::int64_t at = work.reverse != 0 ? first + left * inner : first;
    float y = x[at];
    while (left > 0) {
        float xs[kAhead];
        float decays[kAhead];
        TENON_UNROLL
        for (int k = 0; k < kAhead; ++k) {
            const std::int64_t next = at + lesser(k + 1, left) * stride;
            xs[k] = x[next];
            decays[k] = decay[next];
        }
        TENON_UNROLL
        for (int k = 0; k < kAhead; ++k) {
            if (k < left) {
                work.out[at] = y;
                y = xs[k] + decays[k] * y;
                at += stride;
            }
        }
        left -= lesser(kAhead, left);
    }
    work.out[at] = y;
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
