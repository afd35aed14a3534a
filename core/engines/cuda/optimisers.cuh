// SPDX-License-Identifier: Apache-2.0
// The steps of optimisers, with clipping. The computation of an element's step is shared with the CPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "engines/cuda/places.cuh"
#include "engines/cuda/steps.cuh"

namespace tenon::compiled::device {

// Calls step(element, its gradient) for the elements of trainable parameters. The gradient has been clipped, also in
// its slab.
template <class Step>
__device__ inline void each_stepped(const Stepping& of, Blocks blocks, Step step) {
    if (!is_finite(of.norm)) {
        return;
    }
    const double coefficient = of.clip_norm / (*of.norm + 1e-6);
    const bool clips = of.clip_norm > 0 && coefficient < 1;
    const float factor = static_cast<float>(coefficient);
    for (std::int64_t i = first_of_thread(blocks); i < of.count; i += all_threads(blocks)) {
        if (of.used[i] == 0) {
            continue;
        }
        const float gradient = clips ? of.gradient[i] * factor : of.gradient[i];
        of.gradient[i] = gradient;
        step(i, gradient);
    }
}

template <Decay kDecay>
__device__ inline void adam_element(const AdamWork& work, std::int64_t i, float gradient) {
    const AdamElement<float> next =
        adam_step<kDecay, float>({work.of.value[i], work.moment1[i], work.moment2[i]}, gradient, *work.numbers);
    work.of.value[i] = next.value;
    work.moment1[i] = next.moment1;
    work.moment2[i] = next.moment2;
}

__device__ inline void adam(const AdamWork& work, Blocks blocks) {
    each_stepped(work.of, blocks, [&](std::int64_t i, float gradient) {
        if (work.decay == Decay::kNone) {
            adam_element<Decay::kNone>(work, i, gradient);
        } else if (work.decay == Decay::kOfGradient) {
            adam_element<Decay::kOfGradient>(work, i, gradient);
        } else {
            adam_element<Decay::kOfParameter>(work, i, gradient);
        }
    });
}

template <bool kDecays>
__device__ inline void sgd_element(const SgdWork& work, std::int64_t i, float gradient) {
    if (work.kind == Momentum::kNone) {
        work.of.value[i] =
            sgd_step<kDecays, Momentum::kNone, float>({work.of.value[i], 0.0F}, gradient, *work.numbers).value;
        return;
    }
    const SgdElement<float> at{work.of.value[i], work.momentum[i]};
    const SgdElement<float> next = work.kind == Momentum::kNesterov
                                       ? sgd_step<kDecays, Momentum::kNesterov, float>(at, gradient, *work.numbers)
                                       : sgd_step<kDecays, Momentum::kPlain, float>(at, gradient, *work.numbers);
    work.of.value[i] = next.value;
    work.momentum[i] = next.momentum;
}

__device__ inline void sgd(const SgdWork& work, Blocks blocks) {
    each_stepped(work.of, blocks, [&](std::int64_t i, float gradient) {
        if (work.decays != 0) {
            sgd_element<true>(work, i, gradient);
        } else {
            sgd_element<false>(work, i, gradient);
        }
    });
}

template <bool kDecays, bool kCentered, bool kMomentum>
__device__ inline void rmsprop_element(const RmspropWork& work, std::int64_t i, float gradient) {
    const RmspropElement<float> next = rmsprop_step<kDecays, kCentered, kMomentum, float>(
        {work.of.value[i], work.square[i], kCentered ? work.mean[i] : 0.0F, kMomentum ? work.momentum[i] : 0.0F},
        gradient, *work.numbers);
    work.square[i] = next.square;
    if constexpr (kCentered) {
        work.mean[i] = next.mean;
    }
    if constexpr (kMomentum) {
        work.momentum[i] = next.momentum;
    }
    work.of.value[i] = next.value;
}

template <bool kDecays>
__device__ inline void rmsprop_element(const RmspropWork& work, std::int64_t i, float gradient) {
    if (work.mean != nullptr && work.momentum != nullptr) {
        rmsprop_element<kDecays, true, true>(work, i, gradient);
    } else if (work.mean != nullptr) {
        rmsprop_element<kDecays, true, false>(work, i, gradient);
    } else if (work.momentum != nullptr) {
        rmsprop_element<kDecays, false, true>(work, i, gradient);
    } else {
        rmsprop_element<kDecays, false, false>(work, i, gradient);
    }
}

__device__ inline void rmsprop(const RmspropWork& work, Blocks blocks) {
    each_stepped(work.of, blocks, [&](std::int64_t i, float gradient) {
        if (work.decays != 0) {
            rmsprop_element<true>(work, i, gradient);
        } else {
            rmsprop_element<false>(work, i, gradient);
        }
    });
}

__device__ inline void lamb_move(const LambWork& work, Blocks blocks) {
    each_stepped(work.of, blocks, [&](std::int64_t i, float gradient) {
        const LambMoments<float> next =
            lamb_moments<float>({work.moment1[i], work.moment2[i]}, gradient, *work.numbers);
        work.moment1[i] = next.first;
        work.moment2[i] = next.second;
    });
}

// One block for each tensor. It adds the squares in sixteen partial sums, as on the CPU, or in sixteen for each of
// sixteen parts of a large tensor.
__device__ inline void lamb_rates(const LambWork& work, Blocks blocks) {
    constexpr std::int64_t kLarge = 32768;
    double* const values = sum_room().sums[0];
    double* const steps = sum_room().sums[1];
    if (!is_finite(work.of.norm)) {
        return;
    }
    for (std::int64_t t = blocks.index; t < work.tensor_count; t += blocks.count) {
        const LambTensor tensor = work.tensors[t];
        const int parts = tensor.count < kLarge ? 1 : kTensorParts;
        const std::int64_t part = ((tensor.count + parts - 1) / parts + kSums - 1) / kSums * kSums;
        for (int p = static_cast<int>(threadIdx.x); p < parts * kSums; p += static_cast<int>(blockDim.x)) {
            const std::int64_t from = p / kSums * part;
            const std::int64_t end = from + part < tensor.count ? from + part : tensor.count;
            double of_values = 0;
            double of_steps = 0;
            for (std::int64_t i = from + p % kSums; i < end; i += kSums) {
                const std::int64_t at = tensor.first + i;
                const double value = static_cast<double>(work.of.value[at]);
                const double step = static_cast<double>(
                    lamb_step<float>({work.moment1[at], work.moment2[at]}, work.of.value[at], *work.numbers));
                of_values += value * value;
                of_steps += step * step;
            }
            values[p] = of_values;
            steps[p] = of_steps;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            double value = 0;
            double step = 0;
            for (int p = 0; p < parts * kSums; ++p) {
                value += values[p];
                step += steps[p];
            }
            work.rates[t] = lamb_rate<float>(std::sqrt(value), std::sqrt(step), *work.numbers);
        }
        __syncthreads();
    }
}

__device__ inline void lamb_values(const LambWork& work, Blocks blocks) {
    if (!is_finite(work.of.norm)) {
        return;
    }
    for (std::int64_t t = 0; t < work.tensor_count; ++t) {
        const LambTensor tensor = work.tensors[t];
        for (std::int64_t i = first_of_thread(blocks); i < tensor.count; i += all_threads(blocks)) {
            const std::int64_t at = tensor.first + i;
            const float step = lamb_step<float>({work.moment1[at], work.moment2[at]}, work.of.value[at], *work.numbers);
            work.of.value[at] -= work.rates[t] * step;
        }
    }
}

}  // namespace tenon::compiled::device
