// SPDX-License-Identifier: Apache-2.0
// A checksum of 64 bits as fast as memory: it finds damage, but is no protection from forgery.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon {

// The checksum of these bytes after those of `seed`. Any change of one aligned word of 8 bytes changes it.
std::uint64_t checksum64(const void* bytes, std::size_t size, std::uint64_t seed);

}  // namespace tenon
