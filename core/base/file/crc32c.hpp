// SPDX-License-Identifier: Apache-2.0
// The checksum of TensorBoard's records (Castagnoli).
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace tenon
