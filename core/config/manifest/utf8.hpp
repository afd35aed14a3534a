// SPDX-License-Identifier: Apache-2.0
// Whether bytes are valid text. Files and command lines may contain any bytes; a resolved manifest must be UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon {

// May precede a text and does not count as a column.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_utf8(std::string_view bytes);

// The number of code points of UTF-8 text; for other bytes, a number that does not exceed their count.
std::size_t count_code_points(std::string_view text);

}  // namespace tenon
