// SPDX-License-Identifier: Apache-2.0
#include "base/simd/normals.hpp"

#include <cmath>

#include "base/simd/each_level.hpp"
#include "base/simd/one_normal.hpp"
#include "base/simd/philox.hpp"

namespace tenon::simd {
namespace {

constexpr std::size_t kTogether = kPhiloxTogether;
using Bits = PhiloxBits;

// Compilers split them into registers of the level's size.
typedef double Reals __attribute__((vector_size(kTogether * 8)));

TENON_SIMD_INLINE Reals root(Reals x) {
    for (std::size_t i = 0; i < kTogether; ++i) {
        x[i] = std::sqrt(x[i]);
    }
    return x;
}

TENON_SIMD_INLINE void some_pairs(tn_key key, std::uint64_t first, std::size_t wanted, double* out) {
    const PhiloxWords words = philox(key, first);
    const auto [even, odd] = one_normal::pair_of<Reals>(words.c0, words.c1, words.c2, words.c3,
                                                        [](Reals x) __attribute__((always_inline)) { return root(x); });
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
