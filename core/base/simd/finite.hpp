// SPDX-License-Identifier: Apache-2.0
// Whether many numbers are all finite.
#pragma once

#include <cstddef>

#include "base/simd/level.hpp"

namespace tenon::simd {

bool all_finite(const float* x, std::size_t count, Level with = level());
bool all_finite(const double* x, std::size_t count, Level with = level());

}  // namespace tenon::simd
