// SPDX-License-Identifier: Apache-2.0
// The arguments of the optimisers' kernels: plain data, as in work.hpp.
#pragma once

#include <cstdint>

#include "compute/parameters/adam_step.hpp"
#include "compute/parameters/lamb_step.hpp"
#include "compute/parameters/rmsprop_step.hpp"
#include "compute/parameters/sgd_step.hpp"

namespace tenon::compiled::device {

// One network's step, which is made if the norm is finite. `used`: 1 for elements of trainable parameters, 0 for
// padding.
struct Stepping {
    float* value;
    float* gradient;
    const std::uint8_t* used;
    std::int64_t count;
    double clip_norm;  // 0: no clipping
    const double* norm;
};

struct AdamWork {
    Stepping of;
    float* moment1;
    float* moment2;
    const AdamNumbers<float>* numbers;
    Decay decay;
};

struct SgdWork {
    Stepping of;
    float* momentum;  // not of Momentum::kNone
    const SgdNumbers<float>* numbers;
    Momentum kind;
    std::int32_t decays;  // 1: the penalty is not 0
};

struct RmspropWork {
    Stepping of;
    float* square;
    float* mean;      // null: it is not centered
    float* momentum;  // null: there is none
    const RmspropNumbers<float>* numbers;
    std::int64_t decays;  // 1: the penalty is not 0
};

// A parameter, or one member's part of it.
struct LambTensor {
    std::int64_t first;  // element
    std::int64_t count;
};

// A step of LAMB, which is three works: the moments, the rate of each tensor, the values.
struct LambWork {
    Stepping of;
    float* moment1;
    float* moment2;
    const LambNumbers<float>* numbers;
    const LambTensor* tensors;
    std::int64_t tensor_count;
    float* rates;  // of the tensors
};

}  // namespace tenon::compiled::device
