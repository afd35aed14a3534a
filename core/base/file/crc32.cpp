// SPDX-License-Identifier: Apache-2.0
#include "base/file/crc32.hpp"

#include <array>

namespace tenon {
namespace {

using Table = std::array<std::uint32_t, 256>;

// polynomial: its bits reversed.
constexpr Table make_table(std::uint32_t polynomial) {
    Table table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = rest >> 1U ^ ((rest & 1U) != 0 ? polynomial : 0U);
        }
        table[byte] = rest;
    }
    return table;
}

constexpr Table kIso = make_table(0xedb88320);
constexpr Table kCastagnoli = make_table(0x82f63b78);

std::uint32_t checksum(const Table& table, std::string_view bytes) {
    std::uint32_t sum = 0xffffffff;
    for (const char byte : bytes) {
        sum = sum >> 8U ^ table[(sum ^ static_cast<unsigned char>(byte)) & 255U];
    }
    return ~sum;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    return checksum(kIso, bytes);
}

std::uint32_t crc32c(std::string_view bytes) {
    return checksum(kCastagnoli, bytes);
}

}  // namespace tenon
