// SPDX-License-Identifier: Apache-2.0
// Elements in memory as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// The C++ type of values with this number of bytes.
std::string_view type_of(std::uint16_t bytes);

// An expression for the offset of element i in a place.
std::string place_text(const Place& place);

// The type of i, for `count` elements of these places.
std::string_view index_type(std::span<const Place> places, std::int64_t count);

// An expression that is converted to any pointer (At of jit.cuh).
std::string address_text(const void* address);

}  // namespace tenon::compiled::device
