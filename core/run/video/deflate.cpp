// SPDX-License-Identifier: Apache-2.0
#include "run/video/deflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tenon {
namespace {

constexpr std::size_t kShortest = 3;
constexpr std::size_t kLongest = 258;
constexpr std::size_t kFarthest = 32768;
constexpr std::uint32_t kEndOfBlock = 256;

class Bits {
public:
    explicit Bits(std::string& out) : out_(&out) {}

    // The lowest bit first.
    void put(std::uint32_t value, int count) {
        held_ |= std::uint64_t{value} << static_cast<unsigned>(count_);
        count_ += count;
        while (count_ >= 8) {
            out_->push_back(static_cast<char>(held_ & 255U));
            held_ >>= 8U;
            count_ -= 8;
        }
    }

    // Huffman codes are written from their highest bit.
    void put_code(std::uint32_t code, int count) {
        std::uint32_t turned = 0;
        for (int i = 0; i < count; ++i) {
            turned = turned << 1U | (code >> static_cast<unsigned>(i) & 1U);
        }
        put(turned, count);
    }

    void flush() { put(0, (8 - count_ % 8) % 8); }

private:
    std::string* out_;
    std::uint64_t held_ = 0;
    int count_ = 0;
};

// The fixed code of a byte, the end, or a length (RFC 1951, 3.2.6).
void put_symbol(Bits& bits, std::uint32_t symbol) {
    if (symbol < 144) {
        bits.put_code(0x30 + symbol, 8);
    } else if (symbol < 256) {
        bits.put_code(0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
        bits.put_code(symbol - 256, 7);
    } else {
        bits.put_code(0xc0 + symbol - 280, 8);
    }
}

// A length or distance is written as a code for its leading bits, followed by its `extra` remaining bits.
struct Split {
    std::uint32_t code;
    int extra;
    std::uint32_t rest;
};

// value: the length - 3, or the distance - 1. kept: the leading bits after the highest one, 2 for lengths, 1 for
// distances.
Split split(std::uint32_t value, int kept) {
    const int extra = std::max(0, static_cast<int>(std::bit_width(value)) - 1 - kept);
    const auto shift = static_cast<unsigned>(extra);
    const std::uint32_t code = (static_cast<std::uint32_t>(extra) << static_cast<unsigned>(kept)) + (value >> shift);
    return {code, extra, value & ((1U << shift) - 1U)};
}

void put_match(Bits& bits, std::size_t length, std::size_t distance) {
    if (length == kLongest) {
        put_symbol(bits, 285);  // has a code of its own
    } else {
        const Split at = split(static_cast<std::uint32_t>(length - kShortest), 2);
        put_symbol(bits, 257 + at.code);
        bits.put(at.rest, at.extra);
    }
    const Split back = split(static_cast<std::uint32_t>(distance - 1), 1);
    bits.put_code(back.code, 5);
    bits.put(back.rest, back.extra);
}

std::size_t slot_of(const char* at) {
    std::uint32_t three = 0;
    std::memcpy(&three, at, kShortest);
    return three * 2654435761U >> 17U;  // 15 bits
}

std::size_t common_length(std::string_view bytes, std::size_t before, std::size_t at) {
    const std::size_t most = std::min(kLongest, bytes.size() - at);
    std::size_t length = 0;
    while (length < most && bytes[before + length] == bytes[at + length]) {
        ++length;
    }
    return length;
}

std::uint32_t adler32(std::string_view bytes) {
    constexpr std::uint32_t kPrime = 65521;
    std::uint32_t sum = 1;
    std::uint32_t sums = 0;
    for (const char byte : bytes) {
        sum = (sum + static_cast<unsigned char>(byte)) % kPrime;
        sums = (sums + sum) % kPrime;
    }
    return sums << 16U | sum;
}

}  // namespace

std::string compress(std::string_view bytes) {
    constexpr std::size_t kNowhere = SIZE_MAX;
    std::string out = "\x78\x01";
    Bits bits(out);
    bits.put(1, 1);  // the last block
    bits.put(1, 2);  // of fixed codes
    std::vector<std::size_t> last(std::size_t{1} << 15U, kNowhere);
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t length = 0;
        std::size_t before = kNowhere;
        if (at + kShortest <= bytes.size()) {
            std::size_t& place = last[slot_of(bytes.data() + at)];
            before = place;
            place = at;
        }
        if (before != kNowhere && at - before <= kFarthest) {
            length = common_length(bytes, before, at);
        }
        if (length >= kShortest) {
            put_match(bits, length, at - before);
            at += length;
        } else {
            put_symbol(bits, static_cast<unsigned char>(bytes[at++]));
        }
    }
    put_symbol(bits, kEndOfBlock);
    bits.flush();
    const std::uint32_t sum = adler32(bytes);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        out.push_back(static_cast<char>(sum >> shift & 255U));
    }
    return out;
}

}  // namespace tenon
