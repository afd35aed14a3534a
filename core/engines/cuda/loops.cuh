// SPDX-License-Identifier: Apache-2.0
// Loops of elementwise operations: one thread computes all of them for an element.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "engines/compiled/codes.hpp"
#include "engines/cuda/one_number.cuh"
#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

using Byte = unsigned char;
using Int = std::int64_t;
using Word = std::uint64_t;

__device__ inline float multiply_add(float x, float y, float z) {
    return fmaf(x, y, z);
}
__device__ inline double multiply_add(double x, double y, double z) {
    return fma(x, y, z);
}

#define TENON_MATHS __device__ inline
#include "engines/compiled/kernels/maths.inc"
#undef TENON_MATHS

// The value of a slot, whatever its type.
struct Number {
    std::uint64_t bits;
};

template <class T>
__device__ inline T as(Number number) {
    if constexpr (std::is_same_v<T, float>) {
        return __uint_as_float(static_cast<unsigned>(number.bits));
    } else {
        return static_cast<T>(number.bits);
    }
}

__device__ inline Number number_of(float x) {
    return {__float_as_uint(x)};
}
template <class T>
__device__ inline Number number_of(T x) {
    return {static_cast<std::uint64_t>(x)};
}

// Operations on reals, ints and bools have the numbers 0, 1 and 2 in front of their code.
constexpr std::uint16_t loop_op(int kind, Code code) {
    return static_cast<std::uint16_t>(kind << 8 | static_cast<int>(code));
}

inline constexpr std::uint32_t kHeldPlaces = 24;  // this and the next: in shared memory
inline constexpr std::uint32_t kHeldSteps = 64;

// Constants of the macros below.
inline constexpr int kKind_real = 0;
inline constexpr int kKind_integer = 1;
inline constexpr int kKind_logical = 2;

// Each operation as a function: ops::real_kAdd(a, b).
namespace ops {
using T = float;
#define TENON_MAP1(KIND, CODE, R, A, ...)    \
    __device__ inline R KIND##_##CODE(A x) { \
        return cast<R>(__VA_ARGS__);         \
    }
#define TENON_MAP2(KIND, CODE, R, A, ...)         \
    __device__ inline R KIND##_##CODE(A a, A b) { \
        return cast<R>(__VA_ARGS__);              \
    }
#define TENON_MAP3(KIND, CODE, R, A, B, ...)           \
    __device__ inline R KIND##_##CODE(A a, B b, R c) { \
        return cast<R>(__VA_ARGS__);                   \
    }
#include "engines/compiled/kernels/maps.inc"
TENON_MAP1(real, kTanh, T, T, simd::one_tanh::tanh_of<true>(x))
#undef TENON_MAP1
#undef TENON_MAP2
#undef TENON_MAP3
}  // namespace ops

__device__ inline Number result_of(const LoopStep& step, const Number* slots) {
    using T = float;
    const Number first = slots[step.in[0]];
    const Number second = slots[step.in[1]];
    switch (step.op) {
#define TENON_MAP1(KIND, CODE, R, A, ...)   \
    case loop_op(kKind_##KIND, Code::CODE): \
        return number_of(ops::KIND##_##CODE(as<A>(first)));
#define TENON_MAP2(KIND, CODE, R, A, ...)   \
    case loop_op(kKind_##KIND, Code::CODE): \
        return number_of(ops::KIND##_##CODE(as<A>(first), as<A>(second)));
#define TENON_MAP3(KIND, CODE, R, A, B, ...) \
    case loop_op(kKind_##KIND, Code::CODE):  \
        return number_of(ops::KIND##_##CODE(as<A>(first), as<B>(second), as<R>(slots[step.in[2]])));
#include "engines/compiled/kernels/maps.inc"
#undef TENON_MAP1
#undef TENON_MAP2
#undef TENON_MAP3
        case loop_op(kKind_real, Code::kTanh):
            return number_of(ops::real_kTanh(as<float>(first)));
        default:
            return {0};
    }
}

__device__ inline Number loaded(const Place& from, std::uint16_t bytes, std::int64_t element) {
    const std::int64_t at = offset_of(from, element);
    return bytes == 4   ? Number{static_cast<const std::uint32_t*>(from.at)[at]}
           : bytes == 8 ? Number{static_cast<const std::uint64_t*>(from.at)[at]}
                        : Number{static_cast<const std::uint8_t*>(from.at)[at]};
}

__device__ inline void store(const Place& to, std::uint16_t bytes, std::int64_t element, Number number) {
    const std::int64_t at = offset_of(to, element);
    if (bytes == 4) {
        static_cast<std::uint32_t*>(to.at)[at] = static_cast<std::uint32_t>(number.bits);
    } else if (bytes == 8) {
        static_cast<std::uint64_t*>(to.at)[at] = number.bits;
    } else {
        static_cast<std::uint8_t*>(to.at)[at] = static_cast<std::uint8_t>(number.bits);
    }
}

// Makes most of the loads at the beginning of a loop, a few at a time, so that a thread waits once for several of them.
// Returns the number of steps that it made.
__device__ inline std::uint32_t load_first(const LoopWork& work, const Place* places, const LoopStep* steps,
                                           Number* slots, std::int64_t element) {
    constexpr std::uint32_t kAtOnce = 4;
    std::uint32_t s = 0;
    for (; s + kAtOnce <= work.first_loads; s += kAtOnce) {
        Number held[kAtOnce];
        TENON_UNROLL for (std::uint32_t n = 0; n < kAtOnce; ++n) {
            held[n] = loaded(places[steps[s + n].in[0]], steps[s + n].bytes, element);
        }
        TENON_UNROLL for (std::uint32_t n = 0; n < kAtOnce; ++n) {
            slots[steps[s + n].out] = held[n];
        }
    }
    return s;
}

__device__ inline void loop_with(const LoopWork& work, Blocks blocks, const Place* places, const LoopStep* steps) {
    Number slots[kMostSlots];
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        std::uint32_t s = load_first(work, places, steps, slots, i);
        for (; s < work.step_count; ++s) {
            const LoopStep& step = steps[s];
            if (step.op == kLoad) {
                slots[step.out] = loaded(places[step.in[0]], step.bytes, i);
            } else if (step.op == kStore) {
                store(places[step.in[1]], step.bytes, i, slots[step.in[0]]);
            } else {
                slots[step.out] = result_of(step, slots);
            }
        }
    }
}

template <class T>
__device__ inline void bring_table(T* to, const T* from, std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        to[i] = from[i];
    }
}

// Loads the descriptions of the steps together, because otherwise a thread would wait for each.
__device__ inline void loop(const LoopWork& work, Blocks blocks) {
    __shared__ Place places[kHeldPlaces];
    __shared__ LoopStep steps[kHeldSteps];
    if (work.place_count > kHeldPlaces || work.step_count > kHeldSteps) {
        loop_with(work, blocks, work.places, work.steps);
        return;
    }
    __syncthreads();
    bring_table(places, work.places, work.place_count);
    bring_table(steps, work.steps, work.step_count);
    __syncthreads();
    loop_with(work, blocks, places, steps);
}

}  // namespace tenon::compiled::device
