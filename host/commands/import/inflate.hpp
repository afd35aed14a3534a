// SPDX-License-Identifier: Apache-2.0
// Decompresses what zip files call deflated (RFC 1951). The bytes may be anything.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// Nothing if the bytes are damaged, or are not those of exactly `size` bytes.
std::optional<std::string> inflate(std::string_view bytes, std::size_t size);

}  // namespace tenon
