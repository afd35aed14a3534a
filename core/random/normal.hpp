// SPDX-License-Identifier: Apache-2.0
// The one map from Philox blocks to standard normal numbers, used by executors, initialisers and plugins alike.
#pragma once

#include <cstdint>

#include "tenon/abi/random.h"

namespace tenon {

// out[i] is element e = counter + i of the key's stream of normals. Elements 2b and 2b + 1 come from Philox block b by
// Box and Muller's transform in double: r = sqrt(-2 ln(1 - u)), u and v the block's two 53-bit uniforms (words 0, 1 and
// 2, 3; the first word of each is the upper half); element 2b is r cos(2 pi v), element 2b + 1 is r sin(2 pi v), both
// within 2e-15 (simd/normals.hpp). So any cut into calls gives the same numbers, |element| < 8.6, and float results are
// the rounded doubles; neither the processor nor its C library changes a bit.
void fill_normal(tn_key key, std::uint64_t counter, double* out, std::uint64_t count);
void fill_normal(tn_key key, std::uint64_t counter, float* out, std::uint64_t count);

}  // namespace tenon
