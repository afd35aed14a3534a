// SPDX-License-Identifier: Apache-2.0
#include "compiled/kernels/kernels.hpp"

namespace tenon::compiled {

#if defined(__x86_64__)
namespace avx512 {
const Kernels& of(DType real);
}
namespace avx2 {
const Kernels& of(DType real);
}
#endif
namespace baseline {
const Kernels& of(DType real);
}

namespace {

enum class Level { kBaseline, kAvx2, kAvx512 };

Level level() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
        return Level::kAvx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return Level::kAvx2;
    }
#endif
    return Level::kBaseline;
}

}  // namespace

const Kernels& kernels(DType real) {
#if defined(__x86_64__)
    switch (level()) {
        case Level::kAvx512:
            return avx512::of(real);
        case Level::kAvx2:
            return avx2::of(real);
        case Level::kBaseline:
            break;
    }
#endif
    return baseline::of(real);
}

const char* kernel_set() {
    switch (level()) {
        case Level::kAvx512:
            return "avx512";
        case Level::kAvx2:
            return "avx2";
        case Level::kBaseline:
            break;
    }
    return "baseline";
}

}  // namespace tenon::compiled
