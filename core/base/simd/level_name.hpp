// SPDX-License-Identifier: Apache-2.0
// The names of instruction levels, for people.
#pragma once

#include <string_view>

#include "base/simd/level.hpp"

namespace tenon::simd {

// The highest level that this machine supports, whatever TENON_LEVEL says.
Level machine_level();

// "avx512", "avx2" or "base", as in TENON_LEVEL.
std::string_view name_of(Level level);

}  // namespace tenon::simd
