// SPDX-License-Identifier: Apache-2.0
// Flags of lanes: one byte each, mostly 0, and eight of them in a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The first lane of [first, end) whose byte is not 0, or end.
inline std::uint32_t next_set(const std::uint8_t* flags, std::uint32_t first, std::uint32_t end) {
    for (std::uint64_t eight = 0; end - first >= sizeof eight; first += sizeof eight) {
        std::memcpy(&eight, flags + first, sizeof eight);
        if (eight != 0) {
            break;
        }
    }
    while (first < end && flags[first] == 0) {
        ++first;
    }
    return first;
}

// The first lane of [first, end) whose byte is 0, or end.
inline std::uint32_t next_clear(const std::uint8_t* flags, std::uint32_t first, std::uint32_t end) {
    const void* const found = first < end ? std::memchr(flags + first, 0, end - first) : nullptr;
    return found == nullptr ? end : static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - flags);
}

// to[i] = a[i] | b[i] | c[i]
inline void merge_flags(std::uint8_t* to, const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* c,
                        std::size_t count) {
    std::size_t at = 0;
    for (std::uint64_t x = 0, y = 0, z = 0; at + sizeof x <= count; at += sizeof x) {
        std::memcpy(&x, a + at, sizeof x);
        std::memcpy(&y, b + at, sizeof y);
        std::memcpy(&z, c + at, sizeof z);
        x |= y | z;
        std::memcpy(to + at, &x, sizeof x);
    }
    for (; at < count; ++at) {
        to[at] = static_cast<std::uint8_t>(a[at] | b[at] | c[at]);
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
