// SPDX-License-Identifier: Apache-2.0
// The functions of zlib that PNG and zip files need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// A zlib stream (RFC 1950), at zlib's fastest level. A problem if zlib gets no memory.
Result<std::string> compress(std::string_view bytes);

// Decompresses raw deflate data (RFC 1951), as zip files have it. The bytes may be anything: the result is empty if
// they are damaged, or if they do not give exactly `size` bytes.
std::optional<std::string> inflate(std::string_view bytes, std::size_t size);

std::uint32_t crc32(std::string_view bytes);  // ISO 3309

}  // namespace tenon
