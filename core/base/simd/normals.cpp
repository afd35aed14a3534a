// SPDX-License-Identifier: Apache-2.0
#include "base/simd/normals.hpp"

#include <array>
#include <cmath>

#include "base/simd/each_level.hpp"
#include "base/simd/philox.hpp"

namespace tenon::simd {
namespace {

constexpr std::size_t kTogether = kPhiloxTogether;
using Bits = PhiloxBits;

// 2/1, 2/3, 2/5, ...: log m = 2 artanh s = s (2 + 2/3 s^2 + ...)
constexpr auto kLogarithm = [] {
    std::array<double, 11> out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = 2.0 / static_cast<double>(2 * i + 1);
    }
    return out;
}();

// The odd powers: 1, -1/3!, 1/5!, ... and the even powers: 1, -1/2!, 1/4!, ...
constexpr auto series(std::size_t first) {
    std::array<double, 9> out{};
    double term = 1;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = term;
        const auto power = static_cast<double>(2 * i + first);
        term /= -(power + 1) * (power + 2);
    }
    return out;
}
constexpr auto kSine = series(1);
constexpr auto kCosine = series(0);

// Compilers split them into registers of the level's size.
typedef double Reals __attribute__((vector_size(kTogether * 8)));

// Exact for integers below 2^52: uses the bits of 2^52 + x.
TENON_SIMD_INLINE Reals as_reals(Bits x) {
    return reinterpret_cast<Reals>(x | 0x4330000000000000U) - 0x1p52;
}

// tn_uniform
TENON_SIMD_INLINE Reals uniform(Bits high, Bits low) {
    return (as_reals(high) * 0x1p21 + as_reals(low >> 11U)) * 0x1p-53;
}

template <std::size_t kTerms>
TENON_SIMD_INLINE Reals polynomial(Reals x, const std::array<double, kTerms>& coefficients) {
    Reals out = Reals{} + coefficients[kTerms - 1];
    for (std::size_t i = kTerms - 1; i-- > 0;) {
        out = out * x + coefficients[i];
    }
    return out;
}

// For x between 2^-53 and 1: x = m 2^e with m between sqrt(1/2) and sqrt(2), and s = (m - 1) / (m + 1).
TENON_SIMD_INLINE Reals logarithm(Reals x) {
    constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
    const Bits shifted = reinterpret_cast<Bits>(x) - kRootOfHalf + (std::uint64_t{1023} << 52U);
    const Reals e = as_reals(shifted >> 52U) - 1023.0;
    const Reals m = reinterpret_cast<Reals>((shifted & 0x000FFFFFFFFFFFFFU) + kRootOfHalf);
    const Reals s = (m - 1.0) / (m + 1.0);
    constexpr double kLn2High = 0x1.62e42fee00000p-1;  // its product with e is exact
    constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
    return e * kLn2High + (s * polynomial(s * s, kLogarithm) + e * kLn2Low);
}

TENON_SIMD_INLINE Reals root(Reals x) {
    for (std::size_t i = 0; i < kTogether; ++i) {
        x[i] = std::sqrt(x[i]);
    }
    return x;
}

// The angle v, in turns, is split into q quarters and a rest of at most an eighth, for which sine and cosine are
// computed.
TENON_SIMD_INLINE void some_pairs(tn_key key, std::uint64_t first, std::size_t wanted, double* out) {
    const PhiloxWords words = philox(key, first);
    const Reals u = uniform(words.c0, words.c1);
    const Reals v = uniform(words.c2, words.c3);
    const Reals radius = root(-2.0 * logarithm(1.0 - u));  // 1 - u is exact and never 0
    constexpr double kRound = 0x1.8p52;                    // adding it rounds to the nearest integer in the lowest bits
    const Reals shifted = 4.0 * v + kRound;
    const Reals t = (4.0 * v - (shifted - kRound)) * 1.57079632679489661923;
    const Reals square = t * t;
    const Bits sine = reinterpret_cast<Bits>(t * polynomial(square, kSine));
    const Bits cosine = reinterpret_cast<Bits>(polynomial(square, kCosine));
    const Bits quarter = reinterpret_cast<Bits>(shifted);
    const Bits swapped = -(quarter & 1U);
    const Bits exchanged = (sine ^ cosine) & swapped;
    const Reals even = radius * reinterpret_cast<Reals>(cosine ^ exchanged ^ ((quarter + 1U) & 2U) << 62U);
    const Reals odd = radius * reinterpret_cast<Reals>(sine ^ exchanged ^ (quarter & 2U) << 62U);
    if (wanted == kTogether) {
        for (std::size_t i = 0; i < kTogether; ++i) {
            out[2 * i] = even[i];
            out[2 * i + 1] = odd[i];
        }
    } else {
        for (std::size_t i = 0; i < wanted; ++i) {
            out[2 * i] = even[i];
            out[2 * i + 1] = odd[i];
        }
    }
}

TENON_SIMD_INLINE void all_pairs(tn_key key, std::uint64_t first, std::size_t blocks, double* out) {
    for (; blocks >= kTogether; blocks -= kTogether, first += kTogether, out += 2 * kTogether) {
        some_pairs(key, first, kTogether, out);
    }
    if (blocks > 0) {
        some_pairs(key, first, blocks, out);
    }
}

}  // namespace

void normal_pairs(tn_key key, std::uint64_t first, std::size_t blocks, double* out, Level with) {
    at_level<&all_pairs>(with, key, first, blocks, out);
}

}  // namespace tenon::simd
