// SPDX-License-Identifier: Apache-2.0
// tanh of one number, for the loops of the CPU and for kernels on a device. TENON_SIMD_INLINE says what kind of
// function it is.
//
// tanh |x| = t / (t + 2) with t = e^(2|x|) - 1, which never cancels. With 2|x| = n ln 2 + r and |r| at most half of ln
// 2, t is 2^n (e^r - 1) + (2^n - 1); e^r - 1 is its Taylor series to the precision of the type.
#pragma once

#include <cstdint>

namespace tenon::simd::one_tanh {

template <class Real>
struct Format;

template <>
struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr int kFraction = 23;
    static constexpr Bits kOne = 0x3F800000U;
    static constexpr int kTerms = 7;            // the next term is below 2e-8 of the sum
    static constexpr float kRound = 0x1.8p23F;  // adding it rounds to the nearest integer in the lowest bits
    static constexpr float kMost = 18.4F;       // the 2|x| above which t + 2 equals t
    static constexpr float kLn2High = 0x1.62e4p-1F;
    static constexpr float kLn2Low = 0x1.7f7d1cp-20F;
};

template <>
struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr int kFraction = 52;
    static constexpr Bits kOne = 0x3FF0000000000000U;
    static constexpr int kTerms = 14;  // the next term is below 1e-18 of the sum
    static constexpr double kRound = 0x1.8p52;
    static constexpr double kMost = 40;
    static constexpr double kLn2High = 0x1.62e42fefa0000p-1;
    static constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
};

constexpr double factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

// x * y + z, with one rounding if the level has FMA. -ffp-contract=off prevents the compiler from fusing other
// operations, so that AVX2 and AVX-512 give the same bits.
template <bool kFused>
TENON_SIMD_INLINE float multiply_add(float x, float y, float z) {
    return kFused ? __builtin_fmaf(x, y, z) : x * y + z;
}
template <bool kFused>
TENON_SIMD_INLINE double multiply_add(double x, double y, double z) {
    return kFused ? __builtin_fma(x, y, z) : x * y + z;
}

TENON_SIMD_INLINE float with_sign(float x, float of) {
    return __builtin_copysignf(x, of);
}
TENON_SIMD_INLINE double with_sign(double x, double of) {
    return __builtin_copysign(x, of);
}

// 1/kTerm! + r/(kTerm + 1)! + ...
template <bool kFused, int kTerm, class Real>
TENON_SIMD_INLINE Real series_from(Real r) {
    constexpr Real kCoefficient = static_cast<Real>(1 / factorial(kTerm));
    if constexpr (kTerm == Format<Real>::kTerms) {
        return kCoefficient;
    } else {
        return multiply_add<kFused>(series_from<kFused, kTerm + 1>(r), r, kCoefficient);
    }
}

template <bool kFused, class Real>
TENON_SIMD_INLINE Real tanh_of(Real x) {
    using F = Format<Real>;
    constexpr Real kInverseLn2 = static_cast<Real>(1.4426950408889634);
    Real y = 2 * with_sign(x, Real{1});
    y = y > F::kMost ? F::kMost : y;
    const Real shifted = multiply_add<kFused>(y, kInverseLn2, F::kRound);
    const Real n = shifted - F::kRound;
    const Real r = multiply_add<kFused>(n, -F::kLn2Low, multiply_add<kFused>(n, -F::kLn2High, y));
    const Real power = __builtin_bit_cast(  // 2^n
        Real, static_cast<typename F::Bits>((__builtin_bit_cast(typename F::Bits, shifted) << F::kFraction) + F::kOne));
    const Real series = series_from<kFused, 2>(r);
    const Real t = multiply_add<kFused>(power, multiply_add<kFused>(r * r, series, r), power - 1);
    return with_sign(t / (t + 2), x);
}

}  // namespace tenon::simd::one_tanh
