// SPDX-License-Identifier: Apache-2.0
// The numbers of several lanes in SIMD registers, for envs that step many lanes at once (env.hpp). Arithmetic on a Pack
// gives each lane the same result as plain doubles, bit for bit:
//
//     const tenon::Pack pull = where(action == 1, 2, -2) - drag * v * v;  // drag is a double; +, -, *, /, comparisons
//     const double third = pull[2];                                       // one lane's
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Every processor of the architecture has this register, so plugins run on all of them.
using PackRegister = double __attribute__((vector_size(16)));
// 32 bits wide, two per lane: SSE2 has no 64-bit comparison, so the compiler would split wider masks.
using MaskRegister = std::int32_t __attribute__((vector_size(16)));

// Several registers, to hide the latency of each operation.
inline constexpr std::size_t kPackRegisters = 4;
inline constexpr std::size_t kPackLanes = 2 * kPackRegisters;

// Calls body(0), body(1), ... with compile-time constants.
template <std::size_t N, class Body>
[[gnu::always_inline]] inline void unrolled(Body&& body) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (body(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<N>{});
}

template <class Register>
struct Registers {
    Register part[kPackRegisters];

    // Builds the registers one by one from those of the operands.
    template <class Make>
    [[gnu::always_inline]] static Registers made(Make&& make) {
        Registers out;
        unrolled<kPackRegisters>([&](auto i) { out.part[i] = make(i); });
        return out;
    }
};

template <class To, class From>
To same_bits(From from) {
    return reinterpret_cast<To>(from);
}

// The result of comparing packs: true or false for each lane.
struct PackMask : Registers<MaskRegister> {
    bool operator[](std::size_t lane) const { return part[lane / 2][lane % 2 * 2] != 0; }

    friend PackMask operator&(PackMask a, PackMask b) {
        return {made([&](auto i) { return a.part[i] & b.part[i]; })};
    }
    friend PackMask operator|(PackMask a, PackMask b) {
        return {made([&](auto i) { return a.part[i] | b.part[i]; })};
    }
    friend PackMask operator~(PackMask a) {
        return {made([&](auto i) { return ~a.part[i]; })};
    }
};

struct Pack : Registers<PackRegister> {
    Pack() = default;
    Pack(Registers parts) : Registers(parts) {}
    Pack(double all) : Registers(made([&](auto) { return PackRegister{all, all}; })) {}

    double operator[](std::size_t lane) const { return part[lane / 2][lane % 2]; }

    friend Pack operator+(Pack a, Pack b) {
        return made([&](auto i) { return a.part[i] + b.part[i]; });
    }
    friend Pack operator-(Pack a, Pack b) {
        return made([&](auto i) { return a.part[i] - b.part[i]; });
    }
    friend Pack operator*(Pack a, Pack b) {
        return made([&](auto i) { return a.part[i] * b.part[i]; });
    }
    friend Pack operator/(Pack a, Pack b) {
        return made([&](auto i) { return a.part[i] / b.part[i]; });
    }
    friend Pack operator-(Pack a) {
        return made([&](auto i) { return -a.part[i]; });
    }

    friend PackMask operator==(Pack a, Pack b) {
        return {PackMask::made([&](auto i) { return same_bits<MaskRegister>(a.part[i] == b.part[i]); })};
    }
    friend PackMask operator<(Pack a, Pack b) {
        return {PackMask::made([&](auto i) { return same_bits<MaskRegister>(a.part[i] < b.part[i]); })};
    }
    friend PackMask operator<=(Pack a, Pack b) {
        return {PackMask::made([&](auto i) { return same_bits<MaskRegister>(a.part[i] <= b.part[i]); })};
    }
    friend PackMask operator>(Pack a, Pack b) { return b < a; }
    friend PackMask operator>=(Pack a, Pack b) { return b <= a; }
};

// a where the mask is true, b elsewhere.
inline Pack where(PackMask mask, Pack a, Pack b) {
    return Pack::made([&](auto i) {
        return same_bits<PackRegister>((same_bits<MaskRegister>(a.part[i]) & mask.part[i]) |
                                       (same_bits<MaskRegister>(b.part[i]) & ~mask.part[i]));
    });
}

inline bool any(PackMask mask) {
    MaskRegister all = mask.part[0];
    unrolled<kPackRegisters>([&](auto i) { all |= mask.part[i]; });
    const auto halves = same_bits<std::int64_t __attribute__((vector_size(16)))>(all);
    return (halves[0] | halves[1]) != 0;
}

inline Pack keep_bits(Pack x, std::uint64_t bits) {
    const auto low = static_cast<std::int32_t>(bits);
    const auto high = static_cast<std::int32_t>(bits >> 32);
    return Pack::made([&](auto i) {
        return same_bits<PackRegister>(same_bits<MaskRegister>(x.part[i]) & MaskRegister{low, high, low, high});
    });
}
inline Pack abs(Pack x) {
    return keep_bits(x, INT64_MAX);
}

struct SineCosine {
    Pack sine;
    Pack cosine;
};

// For angles up to 0.5 radians by Taylor series: the cosine within 0.52 units in the last place, the sine within 0.61
// (0.52 up to 0.21 radians, or 12 degrees). For larger angles it calls the C library, one lane after the other.
[[gnu::always_inline]] inline SineCosine sine_cosine(Pack x) {
    const Pack z = x * x;
    const Pack z2 = z * z;
    // x^5/5! - x^7/7! ... and x^4/4! - x^6/6! ..., each divided by its lowest power. Terms are paired to shorten the
    // dependency chain.
    const Pack p = (1. / 120 - z * (1. / 5040)) +
                   z2 * ((1. / 362880 - z * (1. / 39916800)) + z2 * (1. / 6227020800 - z * (1. / 1307674368000)));
    const Pack q = (1. / 24 - z * (1. / 720)) +
                   z2 * ((1. / 40320 - z * (1. / 3628800)) + z2 * (1. / 479001600 - z * (1. / 87178291200)));
    // Splits half the square into two parts, of which the first is exact: its rounding error would be visible in the
    // cosine.
    const Pack head = keep_bits(x, ~UINT64_C(0) << 27);
    const Pack half = 0.5 * head * head;
    const Pack rest = 0.5 * (x - head) * (x + head);
    const Pack most = 1 - half;
    SineCosine out{.sine = x + x * z * (p * z - 1. / 6), .cosine = most + ((1 - most - half) - rest + z2 * q)};
    const PackMask beyond = ~(abs(x) <= 0.5);
    if (any(beyond)) [[unlikely]] {
        for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
            if (beyond[lane]) {
                out.sine.part[lane / 2][lane % 2] = std::sin(x[lane]);
                out.cosine.part[lane / 2][lane % 2] = std::cos(x[lane]);
            }
        }
    }
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
