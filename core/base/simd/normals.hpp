// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers from Philox blocks by the Box-Muller transform, with our own logarithm, sine and cosine:
// within 1e-15 of the exact values, and with the same bits at every level and with every C library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/level.hpp"
#include "tenon/abi/random.h"

namespace tenon::simd {

// out[2 i] and out[2 i + 1] belong to block first + i.
void normal_pairs(tn_key key, std::uint64_t first, std::size_t blocks, double* out, Level with = level());

}  // namespace tenon::simd
