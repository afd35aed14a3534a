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

#include "tenon/lane_math.hpp"
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

// a where the mask is true, otherwise b.
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

inline PackMask is_beyond(Pack x, double limit) {
    return ~(abs(x) <= limit);
}
inline PackMask either(PackMask a, PackMask b) {
    return a | b;
}

using SineCosine = SineCosineOf<Pack>;

inline void put_library(const Pack& x, const PackMask& beyond, SineCosine& out) {
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
        if (beyond[lane]) {
            out.sine.part[lane / 2][lane % 2] = std::sin(x[lane]);
            out.cosine.part[lane / 2][lane % 2] = std::cos(x[lane]);
        }
    }
}

// The result of a step of an env of packs.
struct PackResult {
    Pack reward;
    PackMask terminated = {};
    PackMask truncated = {};
};

}  // namespace TENON_SDK
}  // namespace tenon
