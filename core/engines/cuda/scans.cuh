// SPDX-License-Identifier: Apache-2.0
// Recurrences over time with the CPU's bits (base/simd/estimators.cpp): one thread goes through the steps of a chain.
#pragma once

#include <cstdint>

#include "engines/cuda/one_number.cuh"
#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

// The number of steps whose inputs are read together, while earlier steps are computed, so that a thread waits for
// memory once for all of them.
inline constexpr int kPrefetchedSteps = 4;

// The inputs of some steps; 0 for those that the estimator does not use.
struct PrefetchedSteps {
    float reward[kPrefetchedSteps], value[kPrefetchedSteps], next_value[kPrefetchedSteps], rho[kPrefetchedSteps],
        c[kPrefetchedSteps];
    std::uint8_t terminated[kPrefetchedSteps], done[kPrefetchedSteps];
};

__device__ inline std::int64_t lesser(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}

// A value of the recurrence, and the results that are computed from it.
template <class Estimator>
__device__ inline void leave(const ScanWork& work, std::int64_t at, float x, float value) {
    work.out[at] = Estimator::kAddsValue ? x + value : x;
    if (work.sums != nullptr) {
        work.sums[at] = x + value;
    }
}

// Reads the inputs of the kPrefetchedSteps steps before element `at`. If only `left` steps remain, the last of these is
// repeated.
__device__ inline void prefetch_values(const simd::Steps<float>& in, std::int64_t at, std::int64_t left,
                                       std::int64_t inner, PrefetchedSteps& out) {
    TENON_UNROLL
    for (int k = 0; k < kPrefetchedSteps; ++k) {
        const std::int64_t before = at - lesser(k + 1, left) * inner;
        out.reward[k] = in.reward[before];
        out.value[k] = in.value != nullptr ? in.value[before] : 0;
        out.next_value[k] = in.next_value != nullptr ? in.next_value[before] : 0;
        out.terminated[k] = in.terminated != nullptr ? in.terminated[before] : 0;
        out.done[k] = in.done[before];
        out.rho[k] = in.rho != nullptr ? in.rho[before] : 0;
        out.c[k] = in.c != nullptr ? in.c[before] : 0;
    }
}

// Computes the chain whose first step is element `first`.
template <class Estimator>
__device__ inline void go_back(const ScanWork& work, std::int64_t first) {
    simd::Steps<float> in = work.in;
    in.gamma = work.gamma != nullptr ? *work.gamma : 0;
    in.lambda = work.lambda != nullptr ? *work.lambda : 0;
    const std::int64_t inner = work.extents.inner;
    std::int64_t left = work.extents.steps - 1;
    std::int64_t at = first + left * inner;
    PrefetchedSteps now;
    prefetch_values(in, at, left, inner, now);
    float later = Estimator::at(in, at, true).x;
    float value = in.value != nullptr ? in.value[at] : 0;
    while (left > 0) {
        const std::int64_t count = lesser(kPrefetchedSteps, left);
        PrefetchedSteps next;
        prefetch_values(in, at - count * inner, left - count, inner, next);
        simd::Steps<float> read = in;
        read.reward = now.reward;
        read.value = now.value;
        read.next_value = now.next_value;
        read.terminated = now.terminated;
        read.done = now.done;
        read.rho = now.rho;
        read.c = now.c;
        TENON_UNROLL
        for (int k = 0; k < kPrefetchedSteps; ++k) {
            if (k < count) {
                const simd::one_step::Term<float> term = Estimator::at(read, k, false);
                leave<Estimator>(work, at, later, value);
                later = term.x + term.decay * later;
                value = now.value[k];
                at -= inner;
            }
        }
        now = next;
        left -= count;
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
        float xs[kPrefetchedSteps];
        float decays[kPrefetchedSteps];
        TENON_UNROLL
        for (int k = 0; k < kPrefetchedSteps; ++k) {
            const std::int64_t next = at + lesser(k + 1, left) * stride;
            xs[k] = x[next];
            decays[k] = decay[next];
        }
        TENON_UNROLL
        for (int k = 0; k < kPrefetchedSteps; ++k) {
            if (k < left) {
                work.out[at] = y;
                y = xs[k] + decays[k] * y;
                at += stride;
            }
        }
        left -= lesser(kPrefetchedSteps, left);
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
