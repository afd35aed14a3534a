// SPDX-License-Identifier: Apache-2.0
// An env for the CPU and for GPUs from one source. What a step computes is in a struct of plain data, the rules, in a
// file that the host's compiler and nvcc read:
//
//     #include "tenon/device_rules.hpp"
//
//     struct WalkRules {
//         double speed;                                                // options
//         std::int64_t max_episode_steps;
//         using State = std::array<double, 2>;                         // of a lane: plain data, without pointers
//         using Action = std::int64_t;                                 // or float: the action is one number
//         using Observation = float;                                   // elements of the only observation
//
//         // random.uniform(low, high), below, chance, bits
//         template <class Random>
//         TENON_BOTH void begin(Random& random, State& state) const;
//         // or with Random& random as the last argument
//         TENON_BOTH tenon::StepResult advance(State& state, Action action) const;
//         // optional; without it the observation is the state
//         TENON_BOTH void observe(const State& state, Observation* out) const;
//     };
//
// The env (env.hpp) derives from them, so that its options are theirs, and its reset and step call begin and advance:
//
//     struct Walk : WalkRules {
//         State now;
//         static constexpr auto on_device = tenon::device_env<WalkRules>("walk", &load_walk, &Walk::now);
//         ...
//     };
//
// kernels.cu has `TENON_DEVICE_ENV(walk, WalkRules);` (device_env_kernels.hpp), and kernels.cpp makes both kinds of
// kernels of it (device_image.hpp). docs/cuda.md has a whole example. An env of packs has a template of Number as its
// advance, and `on_device` without the state:
//
//     template <class Number>
//     TENON_BOTH tenon::ResultOf<Number> advance(std::array<Number, 2>& state, Number action) const;
//
// Products and sums are contracted neither on the CPU nor on the device, so that both give the same bits. A GPU has its
// own sin, cos, exp, ..., which may differ from those of the C library in the last bit; sine_cosine is the same up to
// half a radian. Exceptions, allocation and virtual functions do not work in kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "tenon/lane_math.hpp"
#include "tenon/step_result.hpp"
#include "tenon/version.hpp"
#ifndef __CUDACC__
#include "tenon/pack.hpp"
#endif

namespace tenon {
inline namespace TENON_SDK {

// StepResult for one lane, PackResult for a pack; and what comparing gives.
template <class Number>
struct NumberTraits;
template <>
struct NumberTraits<double> {
    using Result = StepResult;
    using Mask = bool;
};
#ifndef __CUDACC__
template <>
struct NumberTraits<Pack> {
    using Result = PackResult;
    using Mask = PackMask;
};
#endif
template <class Number>
using ResultOf = typename NumberTraits<Number>::Result;
template <class Number>
using MaskOf = typename NumberTraits<Number>::Mask;

}  // namespace TENON_SDK
}  // namespace tenon
