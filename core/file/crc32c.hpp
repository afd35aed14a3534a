// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), which TensorBoard's record files carry.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace tenon
