// SPDX-License-Identifier: Apache-2.0
// Maps Philox blocks to standard normal numbers, in the same way for executors, initialisers and plugins.
#pragma once

#include <cstdint>

#include "tenon/abi/random.h"

namespace tenon {

// out[i] is element e = counter + i of the key's stream of normals. Elements 2b and 2b + 1 are the Box-Muller transform
// of Philox block b in double: with the block's two 53-bit uniforms u (words 0, 1) and v (words 2, 3; the first word of
// each is the upper half), r = sqrt(-2 ln(1 - u)), element 2b is r cos(2 pi v) and element 2b + 1 is r sin(2 pi v),
// both within 2e-15 (simd/normals.hpp). So the numbers do not depend on how they are split into calls, |element| < 8.6,
// and float results are the rounded doubles. They are bit-identical for all processors and C libraries.
void fill_normal(tn_key key, std::uint64_t counter, double* out, std::uint64_t count);
void fill_normal(tn_key key, std::uint64_t counter, float* out, std::uint64_t count);

}  // namespace tenon
