// SPDX-License-Identifier: Apache-2.0
// Scalars and keys as TOML text that every TOML reader reads back with the same type and value.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// The fewest digits that give the same bits, always with a '.', an exponent, "inf" or "nan", so that it remains a
// float.
std::string toml_float(double value);

// A basic string on one line, including quotes. UTF-8 is kept, control characters are escaped.
std::string toml_string(std::string_view text);

// Bare if TOML allows it, otherwise quoted.
std::string toml_key(std::string_view key);

}  // namespace tenon
