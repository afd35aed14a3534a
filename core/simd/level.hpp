// SPDX-License-Identifier: Apache-2.0
// Which instructions a loop may use. Every loop of this area is compiled for each level, and takes one that the machine
// has. AVX2 and AVX-512 give the same bits, always; the base level, which has no FMA, differs in the last bits
// where a header says so.
#pragma once

#include <cstdint>

namespace tenon::simd {

enum class Level : std::uint8_t { kBase, kAvx2, kAvx512 };

// The best level that this machine has, but none above the one that TENON_LEVEL names (level_variable.hpp).
Level level();

}  // namespace tenon::simd

// What a loop's functions for a level are marked with.
#if defined(__x86_64__)
#define TENON_SIMD_AVX2 __attribute__((target("avx2")))
#define TENON_SIMD_AVX2_FMA __attribute__((target("avx2,fma")))
#define TENON_SIMD_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#else
#define TENON_SIMD_AVX2
#define TENON_SIMD_AVX2_FMA
#define TENON_SIMD_AVX512
#endif
#define TENON_SIMD_INLINE [[gnu::always_inline]] inline
