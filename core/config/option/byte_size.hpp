// SPDX-License-Identifier: Apache-2.0
// Numbers of bytes as people write them: "2 GB", "512 MiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

// A decimal number and a unit, with or without a space: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers
// of 1024). Nothing for any other text, and for less than one byte or more than 2^63 - 1.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace tenon
