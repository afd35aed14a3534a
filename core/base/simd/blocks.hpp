// SPDX-License-Identifier: Apache-2.0
// Computes several Philox blocks at once, with the same bits as tn_philox.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/level.hpp"
#include "tenon/abi/random.h"

namespace tenon::simd {

// out[i] is block first + i.
void random_blocks(tn_key key, std::uint64_t first, std::size_t blocks, tn_random_block* out, Level with = level());

}  // namespace tenon::simd
