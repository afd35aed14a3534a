// SPDX-License-Identifier: Apache-2.0
// The parts of protocol buffers' wire format that event files need.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::protobuf {

enum Wire : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

template <class T>
inline void put_number(std::string& out, T number) {
    for (std::size_t i = 0; i < sizeof number; ++i) {
        out += static_cast<char>(number >> (8 * i) & 255U);
    }
}

inline void put_varint(std::string& out, std::uint64_t number) {
    for (; number >= 128; number >>= 7U) {
        out += static_cast<char>((number & 127U) | 128U);
    }
    out += static_cast<char>(number);
}

inline std::size_t varint_size(std::uint64_t number) {
    std::size_t size = 1;
    for (; number >= 128; number >>= 7U) {
        ++size;
    }
    return size;
}

inline void put_key(std::string& out, std::uint32_t field, Wire wire) {
    put_varint(out, field << 3U | wire);
}

inline void put_double(std::string& out, std::uint32_t field, double number) {
    put_key(out, field, kFixed64);
    put_number(out, std::bit_cast<std::uint64_t>(number));
}

inline void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
    put_key(out, field, kBytes);
    put_varint(out, bytes.size());
    out += bytes;
}

}  // namespace tenon::protobuf
