// SPDX-License-Identifier: Apache-2.0
#include "base/file/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tenon {
namespace {

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
constexpr std::size_t kChains = 8;  // independent, so that a processor multiplies in one while others wait
constexpr std::size_t kBlock = kChains * sizeof(std::uint64_t);

// A bijection of the sum for every word, and of the word for every sum.
constexpr std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
    return std::rotl((sum ^ word) * kOdd, 29);
}

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

constexpr std::array<std::uint32_t, 256> kTable = make_table();  // of crc32c

}  // namespace

std::uint64_t checksum64(const void* bytes, std::size_t size, std::uint64_t seed) {
    const auto* at = static_cast<const std::byte*>(bytes);
    std::uint64_t sum = mixed(seed, size);
    if (size >= kBlock) {
        std::array<std::uint64_t, kChains> chains;
        for (std::size_t i = 0; i < kChains; ++i) {
            chains[i] = sum + i;
        }
        for (; size >= kBlock; size -= kBlock, at += kBlock) {
            std::array<std::uint64_t, kChains> words;
            std::memcpy(words.data(), at, kBlock);
            for (std::size_t i = 0; i < kChains; ++i) {
                chains[i] = mixed(chains[i], words[i]);
            }
        }
        for (const std::uint64_t chain : chains) {
            sum = mixed(sum, chain);
        }
    }
    while (size > 0) {
        std::uint64_t word = 0;
        const std::size_t some = std::min(size, sizeof word);
        std::memcpy(&word, at, some);
        sum = mixed(sum, word);
        at += some;
        size -= some;
    }
    return sum ^ sum >> 32U;
}

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t sum = 0xffffffff;
    for (const char byte : bytes) {
        sum = sum >> 8U ^ kTable[(sum ^ static_cast<unsigned char>(byte)) & 255U];
    }
    return ~sum;
}

}  // namespace tenon
