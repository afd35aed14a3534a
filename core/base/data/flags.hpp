// SPDX-License-Identifier: Apache-2.0
// Flags, one byte per lane and mostly 0. They are tested eight at a time, because loops over lanes test them in every
// step.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace tenon {

inline bool any_set(std::span<const std::uint8_t> flags) {
    std::size_t at = 0;
    for (std::uint64_t eight = 0; at + sizeof eight <= flags.size(); at += sizeof eight) {
        std::memcpy(&eight, flags.data() + at, sizeof eight);
        if (eight != 0) {
            return true;
        }
    }
    for (; at < flags.size(); ++at) {
        if (flags[at] != 0) {
            return true;
        }
    }
    return false;
}

// Calls body(i) for every i where a[i] or b[i] is set.
template <class Body>
void each_either_set(const std::uint8_t* a, const std::uint8_t* b, std::size_t count, const Body& body) {
    static_assert(std::endian::native == std::endian::little, "the first byte of eight is their lowest");
    std::size_t at = 0;
    for (std::uint64_t left = 0, right = 0; at + sizeof left <= count; at += sizeof left) {
        std::memcpy(&left, a + at, sizeof left);
        std::memcpy(&right, b + at, sizeof right);
        for (std::uint64_t both = left | right; both != 0;) {
            const int byte = std::countr_zero(both) / 8;
            body(at + static_cast<std::size_t>(byte));
            both &= ~(std::uint64_t{0xff} << (8 * byte));
        }
    }
    for (; at < count; ++at) {
        if ((a[at] | b[at]) != 0) {
            body(at);
        }
    }
}

// out[i] = 1 where a[i] or b[i] is set, else 0.
inline void either_set(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t count) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kSevens = 0x7F * kOnes;
    std::size_t at = 0;
    for (std::uint64_t left = 0, right = 0; at + sizeof left <= count; at += sizeof left) {
        std::memcpy(&left, a + at, sizeof left);
        std::memcpy(&right, b + at, sizeof right);
        const std::uint64_t both = left | right;
        const std::uint64_t ones = (((both & kSevens) + kSevens) | both) >> 7 & kOnes;  // byte by byte: not 0 -> 1
        std::memcpy(out + at, &ones, sizeof ones);
    }
    for (; at < count; ++at) {
        out[at] = (a[at] | b[at]) != 0 ? 1 : 0;
    }
}

}  // namespace tenon
