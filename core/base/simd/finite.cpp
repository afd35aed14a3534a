// SPDX-License-Identifier: Apache-2.0
// Works on the bits, without branches: a number that is not finite has an exponent of all ones, and adding one to its
// lowest bit carries into the sign bit.
#include "base/simd/finite.hpp"

#include <cstdint>
#include <cstring>

#include "base/simd/each_level.hpp"

namespace tenon::simd {
namespace {

template <class Real>
struct Format;

template <>
struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr Bits kSign = 0x80000000U;
    static constexpr Bits kExponent = 0x00800000U;
};

template <>
struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr Bits kSign = 0x8000000000000000U;
    static constexpr Bits kExponent = 0x0010000000000000U;
};

template <class Real>
TENON_SIMD_INLINE bool are_finite(const Real* x, std::size_t count) {
    using F = Format<Real>;
    typename F::Bits found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        typename F::Bits bits;
        std::memcpy(&bits, x + i, sizeof bits);
        found |= (bits & ~F::kSign) + F::kExponent;
    }
    return (found & F::kSign) == 0;
}

// Fewer than fill the widest register.
constexpr std::size_t kFew = 8;

template <class Real>
bool choose(const Real* x, std::size_t count, Level with) {
    return at_level<are_finite<Real>>(count < kFew ? Level::kBase : with, x, count);
}

}  // namespace

bool all_finite(const float* x, std::size_t count, Level with) {
    return choose(x, count, with);
}

bool all_finite(const double* x, std::size_t count, Level with) {
    return choose(x, count, with);
}

}  // namespace tenon::simd
