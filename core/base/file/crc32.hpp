// SPDX-License-Identifier: Apache-2.0
// Checksums of 32 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

std::uint32_t crc32(std::string_view bytes);   // of PNG and zip files (ISO 3309)
std::uint32_t crc32c(std::string_view bytes);  // of TensorBoard's records (Castagnoli)

}  // namespace tenon
