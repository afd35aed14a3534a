// SPDX-License-Identifier: Apache-2.0
// The instruction levels of loops. Every loop of this area is compiled for each level and uses one that the machine
// supports. AVX2 and AVX-512 always give the same bits. The base level, which has no FMA, may differ in the last bits
// where a header says so.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::simd {

enum class Level : std::uint8_t { kBase, kAvx2, kAvx512 };

// The highest level that this machine supports, limited by TENON_LEVEL (level_variable.hpp).
Level level();

// The highest level that this machine supports, whatever TENON_LEVEL says.
Level machine_level();

// "avx512", "avx2" or "base", as in TENON_LEVEL.
std::string_view name_of(Level level);

}  // namespace tenon::simd

// The attributes of a loop's function for a level.
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
