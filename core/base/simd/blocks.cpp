// SPDX-License-Identifier: Apache-2.0
#include "base/simd/blocks.hpp"

#include <cstring>

#include "base/simd/each_level.hpp"
#include "base/simd/philox.hpp"

namespace tenon::simd {
namespace {

// A block is two of these; its first word is the lower half of the first.
struct Halves {
    PhiloxBits first;
    PhiloxBits second;
};
static_assert(sizeof(Halves) == kPhiloxTogether * sizeof(tn_random_block));

TENON_SIMD_INLINE Halves interleaved(const PhiloxWords& words) {
    const PhiloxBits low = words.c0 | words.c1 << 32U;
    const PhiloxBits high = words.c2 | words.c3 << 32U;
    return {__builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11),
            __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15)};
}

TENON_SIMD_INLINE void all_blocks(tn_key key, std::uint64_t first, std::size_t blocks, tn_random_block* out) {
    for (; blocks >= kPhiloxTogether; blocks -= kPhiloxTogether, first += kPhiloxTogether, out += kPhiloxTogether) {
        const Halves together = interleaved(philox(key, first));
        std::memcpy(out, &together, sizeof together);
    }
    if (blocks > 0) {
        const Halves together = interleaved(philox(key, first));
        std::memcpy(out, &together, blocks * sizeof *out);
    }
}

}  // namespace

void random_blocks(tn_key key, std::uint64_t first, std::size_t blocks, tn_random_block* out, Level with) {
    at_level<&all_blocks>(with, key, first, blocks, out);
}

}  // namespace tenon::simd
