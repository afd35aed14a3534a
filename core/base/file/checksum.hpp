// SPDX-License-Identifier: Apache-2.0
// Checksums: they find damage, but are no protection from forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

// 64 bits, as fast as memory, of these bytes after those of `seed`. Any change of one aligned word of 8 bytes changes
// them.
std::uint64_t checksum64(const void* bytes, std::size_t size, std::uint64_t seed);

// The checksum of TensorBoard's records (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace tenon
