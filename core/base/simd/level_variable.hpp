// SPDX-License-Identifier: Apache-2.0
// The environment variable TENON_LEVEL, which limits the instruction level: "avx512", "avx2" or "base".
#pragma once

#include "base/error/result.hpp"

namespace tenon::simd {

// A problem if it is set and names no level; level() then ignores it.
Status check_level_variable();

}  // namespace tenon::simd
