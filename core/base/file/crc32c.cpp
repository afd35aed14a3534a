// SPDX-License-Identifier: Apache-2.0
#include "base/file/crc32c.hpp"

#include <array>

namespace tenon {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    constexpr std::uint32_t kPolynomial = 0x82f63b78;  // its bits reversed
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = rest >> 1U ^ ((rest & 1U) != 0 ? kPolynomial : 0U);
        }
        table[byte] = rest;
    }
    return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t sum = 0xffffffff;
    for (const char byte : bytes) {
        sum = sum >> 8U ^ kTable[(sum ^ static_cast<unsigned char>(byte)) & 255U];
    }
    return ~sum;
}

}  // namespace tenon
