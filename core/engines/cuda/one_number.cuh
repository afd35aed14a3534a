// SPDX-License-Identifier: Apache-2.0
// Functions of one number that kernels share with the loops of the CPU, so that both have the same bits.
#pragma once

#ifdef __CUDACC__
#define TENON_SIMD_INLINE __device__ __forceinline__
#else
#define TENON_SIMD_INLINE inline
#endif
#include "base/simd/one_normal.hpp"
#include "base/simd/one_step.hpp"
#include "base/simd/one_tanh.hpp"
#undef TENON_SIMD_INLINE
