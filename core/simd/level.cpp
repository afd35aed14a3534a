// SPDX-License-Identifier: Apache-2.0
#include "simd/level.hpp"

namespace tenon::simd {
namespace {

Level find_level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return Level::kAvx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return Level::kAvx2;
    }
#endif
    return Level::kBase;
}

}  // namespace

Level level() {
    static const Level found = find_level();
    return found;
}

}  // namespace tenon::simd
