// SPDX-License-Identifier: Apache-2.0
// Whether bytes are text. Files and command lines may hold any bytes; a resolved manifest must be UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon {

// May stand before a text, and has no column in it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_utf8(std::string_view bytes);

// Of UTF-8; of other bytes, some number that is not larger than their count.
std::size_t count_code_points(std::string_view text);

}  // namespace tenon
