// SPDX-License-Identifier: Apache-2.0
// Text of files, plugins and other programs, as it may be shown on a terminal: what the terminal would obey is escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

// The number of bytes of the UTF-8 character at the start of the text, which is not empty; 0 if it is invalid.
std::size_t character_size(std::string_view text);

// The number of a valid character.
std::uint32_t code_point(std::string_view character);

// Whether a terminal would obey this UTF-8 character instead of showing it: the control characters of ASCII and of
// Latin-1, and those that change the direction of the text behind them.
bool is_control(std::string_view character);

// The text with such characters, except line ends and tabs, and with bytes that are not UTF-8 as "\x1b" or "\u{202e}".
std::string printable(std::string_view text);

}  // namespace tenon
