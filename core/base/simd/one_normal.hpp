// SPDX-License-Identifier: Apache-2.0
// Two standard normal numbers of a random block (Box-Muller), for the loops of the CPU, where Reals and Bits are
// vectors, and for kernels on a device, where they are one number. TENON_SIMD_INLINE says what kind of function it is.
#pragma once

#include <cstdint>

namespace tenon::simd::one_normal {

// Exact for integers below 2^52: uses the bits of 2^52 + x.
template <class Reals, class Bits>
TENON_SIMD_INLINE Reals as_reals(Bits x) {
    return __builtin_bit_cast(Reals, x | 0x4330000000000000U) - 0x1p52;
}

// tn_uniform
template <class Reals, class Bits>
TENON_SIMD_INLINE Reals uniform(Bits high, Bits low) {
    return (as_reals<Reals>(high) * 0x1p21 + as_reals<Reals>(low >> 11U)) * 0x1p-53;
}

// The terms of series, whose sums begin with the last one.

// 2/1, 2/3, 2/5, ...: log m = 2 artanh s = s (2 + 2/3 s^2 + ...)
struct Logarithm {
    static constexpr int kLast = 10;
    static constexpr double term(int i) { return 2.0 / static_cast<double>(2 * i + 1); }
};

// The odd powers: 1, -1/3!, 1/5!, ... and the even powers: 1, -1/2!, 1/4!, ...
template <int kFirst>
struct Powers {
    static constexpr int kLast = 8;
    static constexpr double term(int i) {
        double out = 1;
        for (int k = 0; k < i; ++k) {
            const auto power = static_cast<double>(2 * k + kFirst);
            out /= -(power + 1) * (power + 2);
        }
        return out;
    }
};

template <class Series, int kTerm, class Reals>
TENON_SIMD_INLINE Reals series_from(Reals x) {
    constexpr double kCoefficient = Series::term(kTerm);
    if constexpr (kTerm == Series::kLast) {
        return Reals{} + kCoefficient;
    } else {
        return series_from<Series, kTerm + 1>(x) * x + kCoefficient;
    }
}

// For x between 2^-53 and 1: x = m 2^e with m between sqrt(1/2) and sqrt(2), and s = (m - 1) / (m + 1).
template <class Bits, class Reals>
TENON_SIMD_INLINE Reals logarithm(Reals x) {
    constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
    const Bits shifted = __builtin_bit_cast(Bits, x) - kRootOfHalf + (std::uint64_t{1023} << 52U);
    const Reals e = as_reals<Reals>(shifted >> 52U) - 1023.0;
    const Reals m = __builtin_bit_cast(Reals, (shifted & 0x000FFFFFFFFFFFFFU) + kRootOfHalf);
    const Reals s = (m - 1.0) / (m + 1.0);
    constexpr double kLn2High = 0x1.62e42fee00000p-1;  // its product with e is exact
    constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
    return e * kLn2High + (s * series_from<Logarithm, 0>(s * s) + e * kLn2Low);
}

template <class Reals>
struct Pair {
    Reals even;
    Reals odd;
};

// Two normal numbers from the four words of a block. The angle, in turns, is split into q quarters and a rest of at
// most an eighth, for which sine and cosine are computed.
template <class Reals, class Bits, class Root>
TENON_SIMD_INLINE Pair<Reals> pair_of(Bits c0, Bits c1, Bits c2, Bits c3, Root root) {
    const Reals u = uniform<Reals>(c0, c1);
    const Reals v = uniform<Reals>(c2, c3);
    const Reals radius = root(-2.0 * logarithm<Bits>(1.0 - u));  // 1 - u is exact and never 0
    constexpr double kRound = 0x1.8p52;  // adding it rounds to the nearest integer in the lowest bits
    const Reals shifted = 4.0 * v + kRound;
    const Reals t = (4.0 * v - (shifted - kRound)) * 1.57079632679489661923;
    const Reals square = t * t;
    const Bits sine = __builtin_bit_cast(Bits, t * series_from<Powers<1>, 0>(square));
    const Bits cosine = __builtin_bit_cast(Bits, series_from<Powers<0>, 0>(square));
    const Bits quarter = __builtin_bit_cast(Bits, shifted);
    const Bits swapped = -(quarter & 1U);
    const Bits exchanged = (sine ^ cosine) & swapped;
    return {radius * __builtin_bit_cast(Reals, cosine ^ exchanged ^ ((quarter + 1U) & 2U) << 62U),
            radius * __builtin_bit_cast(Reals, sine ^ exchanged ^ (quarter & 2U) << 62U)};
}

}  // namespace tenon::simd::one_normal
