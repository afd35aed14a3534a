// SPDX-License-Identifier: Apache-2.0
// The environment variable TENON_LEVEL, which caps the level of instructions: "avx512", "avx2" or "base".
#pragma once

#include "error/result.hpp"

namespace tenon::simd {

// A problem where it is set and names no level; level() takes it as not set then.
Status check_level_variable();

}  // namespace tenon::simd
