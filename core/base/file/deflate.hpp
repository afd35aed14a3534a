// SPDX-License-Identifier: Apache-2.0
// What PNG and zip files need of zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// A zlib stream (RFC 1950), at zlib's fastest level.
std::string compress(std::string_view bytes);

// Decompresses what zip files call deflated (RFC 1951). The bytes may be anything: nothing if they are damaged, or are
// not those of exactly `size` bytes.
std::optional<std::string> inflate(std::string_view bytes, std::size_t size);

std::uint32_t crc32(std::string_view bytes);  // ISO 3309

}  // namespace tenon
