// SPDX-License-Identifier: Apache-2.0
// Consecutive Philox blocks, eight at once, for the loops of this area.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/level.hpp"
#include "tenon/abi/random.h"

namespace tenon::simd {

inline constexpr std::size_t kPhiloxTogether = 8;

// Compilers split them into registers of the level's size.
typedef std::uint64_t PhiloxBits __attribute__((vector_size(kPhiloxTogether * 8)));

struct PhiloxWords {
    PhiloxBits c0, c1, c2, c3;  // each within 32 bits
};

// tn_philox of the blocks from `first` on.
TENON_SIMD_INLINE PhiloxWords philox(tn_key key, std::uint64_t first) {
    constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;
    const PhiloxBits counter = first + PhiloxBits{0, 1, 2, 3, 4, 5, 6, 7};
    PhiloxBits c0 = counter & kLowHalf;
    PhiloxBits c1 = counter >> 32U;
    PhiloxBits c2 = PhiloxBits{} + (key.stream & kLowHalf);
    PhiloxBits c3 = PhiloxBits{} + (key.stream >> 32U);
    auto k0 = static_cast<std::uint32_t>(key.seed);
    auto k1 = static_cast<std::uint32_t>(key.seed >> 32U);
    for (int round = 0; round < 10; ++round) {
        const PhiloxBits p0 = c0 * std::uint64_t{0xD2511F53U};
        const PhiloxBits p1 = c2 * std::uint64_t{0xCD9E8D57U};
        c0 = (p1 >> 32U) ^ c1 ^ std::uint64_t{k0};
        c2 = (p0 >> 32U) ^ c3 ^ std::uint64_t{k1};
        c1 = p1 & kLowHalf;
        c3 = p0 & kLowHalf;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    return {c0, c1, c2, c3};
}

}  // namespace tenon::simd
