// SPDX-License-Identifier: Apache-2.0
// The hyperbolic tangent of many numbers: within 3 units in the last place, exact for zeros (of either sign) and
// infinities, and exactly odd; NaN gives NaN. The base level differs from the others in the last bits.
#pragma once

#include <cstddef>

#include "base/simd/level.hpp"

namespace tenon::simd {

// y may be x.
void tanh(const float* x, float* y, std::size_t count, Level with = level());
void tanh(const double* x, double* y, std::size_t count, Level with = level());

}  // namespace tenon::simd
