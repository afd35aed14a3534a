// SPDX-License-Identifier: Apache-2.0
// tanh with the bits of the CPU's.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define TENON_SIMD_INLINE __device__ __forceinline__
#else
#define TENON_SIMD_INLINE inline
#endif
#include "base/simd/one_tanh.hpp"
#undef TENON_SIMD_INLINE
