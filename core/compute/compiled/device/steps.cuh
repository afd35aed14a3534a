// SPDX-License-Identifier: Apache-2.0
// What happens to gradients and parameters at the end of a stage: their norm, clipping, the optimiser, targets.
#pragma once

#include <cmath>
#include <cstdint>

#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

// As compute/parameters/clip.cpp cuts a sum.
inline constexpr int kNormSums = 16;
inline constexpr int kNormParts = 16;
inline constexpr std::int64_t kNormCut = 32768;  // a larger slab is cut into parts

__device__ inline bool is_finite(const double* norm) {
    return *norm - *norm == 0.0;
}

// The squares of every sixteenth element, from `first` on, and before `end`, added one after the other.
__device__ inline double add_squares(const float* values, std::int64_t first, std::int64_t end, double sum) {
    for (std::int64_t i = first; i < end; i += kNormSums) {
        const double x = static_cast<double>(values[i]);
        sum += x * x;
    }
    return sum;
}

template <Decay kDecay>
__device__ inline void adam(const AdamWork& work, std::int64_t i, float gradient) {
    const AdamElement<float> next =
        adam_step<kDecay, float>({work.value[i], work.moment1[i], work.moment2[i]}, gradient, work.numbers);
    work.value[i] = next.value;
    work.moment1[i] = next.moment1;
    work.moment2[i] = next.moment2;
}

}  // namespace tenon::compiled::device

extern "C" __global__ void tenon_scale(tenon::compiled::device::ScaleWork work) {
    using namespace tenon::compiled::device;
    for (std::int64_t i = first_of_thread(); i < work.count; i += all_threads()) {
        work.values[i] *= work.factor;
    }
}

// One block.
extern "C" __global__ void tenon_norm(tenon::compiled::device::NormWork work) {
    using namespace tenon::compiled::device;
    __shared__ double sums[kNormSums];
    __shared__ double parts[kNormParts * kNormSums];
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    for (int k = thread; k < kNormSums; k += threads) {
        sums[k] = 0;
    }
    for (std::int32_t network = 0; network < work.count; ++network) {
        const float* values = work.gradients[network];
        const std::int64_t size = work.sizes[network];
        if (size < kNormCut) {
            for (int k = thread; k < kNormSums; k += threads) {
                sums[k] = add_squares(values, k, size, sums[k]);
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

extern "C" __global__ void tenon_adam(tenon::compiled::device::AdamWork work) {
    using namespace tenon::compiled::device;
    if (!is_finite(work.norm)) {
        return;
    }
    const double coefficient = work.clip_norm / (*work.norm + 1e-6);
    const bool clips = work.clip_norm > 0 && coefficient < 1;
    const float factor = static_cast<float>(coefficient);
    for (std::int64_t i = first_of_thread(); i < work.count; i += all_threads()) {
        if (work.used[i] == 0) {
            continue;
        }
        const float gradient = clips ? work.gradient[i] * factor : work.gradient[i];
        work.gradient[i] = gradient;
        if (work.decay == tenon::Decay::kNone) {
            adam<tenon::Decay::kNone>(work, i, gradient);
        } else if (work.decay == tenon::Decay::kOfGradient) {
            adam<tenon::Decay::kOfGradient>(work, i, gradient);
        } else {
            adam<tenon::Decay::kOfParameter>(work, i, gradient);
        }
    }
}

extern "C" __global__ void tenon_follow(tenon::compiled::device::FollowWork work) {
    using namespace tenon::compiled::device;
    if (!is_finite(work.norm)) {
        return;
    }
    for (std::int64_t i = first_of_thread(); i < work.count; i += all_threads()) {
        work.follower[i] = i < work.soft ? tenon::lerp(work.follower[i], work.live[i], work.weight) : work.live[i];
    }
}
