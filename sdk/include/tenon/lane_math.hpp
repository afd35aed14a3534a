// SPDX-License-Identifier: Apache-2.0
// Arithmetic that is one text for a Pack (pack.hpp) and for a double, a pack of one lane, which is what kernels compute
// with (device_rules.hpp). Two compilers read this file: the host's and nvcc.
#pragma once

#include <cmath>
#include <cstdint>

#include "tenon/version.hpp"

#ifdef __CUDACC__
#define TENON_BOTH __host__ __device__
#define TENON_BOTH_INLINED __host__ __device__ __forceinline__
#else
#define TENON_BOTH
#define TENON_BOTH_INLINED [[gnu::always_inline]] inline
#endif

namespace tenon {
inline namespace TENON_SDK {

template <class Number>
struct SineCosineOf {
    Number sine;
    Number cosine;
};

// What pack.hpp has for packs, for one lane.
TENON_BOTH inline double where(bool mask, double a, double b) {
    return mask ? a : b;
}
TENON_BOTH inline bool any(bool mask) {
    return mask;
}
TENON_BOTH inline double abs(double x) {
    return std::fabs(x);
}
TENON_BOTH inline bool is_beyond(double x, double limit) {
    return !(abs(x) <= limit);
}
TENON_BOTH inline bool either(bool a, bool b) {
    return a || b;
}
TENON_BOTH inline double keep_bits(double x, std::uint64_t bits) {
    return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) & bits);
}
TENON_BOTH inline void put_library(double x, bool /*beyond*/, SineCosineOf<double>& out) {
    out = {std::sin(x), std::cos(x)};
}

// For angles up to 0.5 radians by Taylor series: the cosine within 0.52 units in the last place, the sine within 0.61
// (0.52 up to 0.21 radians, or 12 degrees). For larger angles it calls the C library, one lane after the other.
template <class Number>
TENON_BOTH_INLINED SineCosineOf<Number> sine_cosine(Number x) {
    const Number z = x * x;
    const Number z2 = z * z;
    // x^5/5! - x^7/7! ... and x^4/4! - x^6/6! ..., each divided by its lowest power. Terms are paired to shorten the
    // dependency chain.
    const Number p = (1. / 120 - z * (1. / 5040)) +
                     z2 * ((1. / 362880 - z * (1. / 39916800)) + z2 * (1. / 6227020800 - z * (1. / 1307674368000)));
    const Number q = (1. / 24 - z * (1. / 720)) +
                     z2 * ((1. / 40320 - z * (1. / 3628800)) + z2 * (1. / 479001600 - z * (1. / 87178291200)));
    // Splits half the square into two parts, of which the first is exact: its rounding error would be visible in the
    // cosine.
    const Number head = keep_bits(x, ~UINT64_C(0) << 27);
    const Number half = 0.5 * head * head;
    const Number rest = 0.5 * (x - head) * (x + head);
    const Number most = 1 - half;
    SineCosineOf<Number> out{x + x * z * (p * z - 1. / 6), most + ((1 - most - half) - rest + z2 * q)};
    const auto beyond = is_beyond(x, 0.5);
    if (any(beyond)) [[unlikely]] {
        put_library(x, beyond, out);
    }
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
