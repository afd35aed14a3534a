// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers of Philox blocks by Box and Muller's transform, with a logarithm, a sine and a cosine of its
// own: within 1e-15 of the true ones, and the same bits at every level and whatever the C library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/level.hpp"
#include "tenon/abi/random.h"

namespace tenon::simd {

// out[2 i] and out[2 i + 1] are those of block first + i.
void normal_pairs(tn_key key, std::uint64_t first, std::size_t blocks, double* out, Level with = level());

}  // namespace tenon::simd
