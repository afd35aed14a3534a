// SPDX-License-Identifier: Apache-2.0
#include "commands/import/inflate.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tenon {
namespace {

constexpr std::size_t kLongestCode = 15;  // bits
constexpr std::size_t kLiterals = 288;
constexpr std::size_t kDistances = 32;
constexpr unsigned kEndOfBlock = 256;

// Reads bits, the lowest of a byte first. After the end there are zeros, and `cut` says so.
class Bits {
public:
    explicit Bits(std::string_view bytes) : bytes_(bytes) {}

    unsigned take(unsigned count) {
        while (have_ < count) {
            const bool there = at_ < bytes_.size();
            cut = cut || !there;
            held_ |= (there ? std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} : 0U) << have_;
            have_ += 8;
        }
        const auto out = static_cast<unsigned>(held_ & ((std::uint64_t{1} << count) - 1));
        held_ >>= count;
        have_ -= count;
        return out;
    }
    void to_byte() { take(have_ % 8); }

    bool cut = false;

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    std::uint64_t held_ = 0;
    unsigned have_ = 0;
};

// A prefix code. Codes of one length are consecutive numbers, in the order of their symbols.
class Code {
public:
    // False if there are more codes than their lengths allow.
    bool make(std::span<const std::uint8_t> lengths) {
        std::array<unsigned, kLongestCode + 1> counts{};
        for (const std::uint8_t length : lengths) {
            counts[length] += length > 0 ? 1 : 0;
        }
        unsigned code = 0;
        std::uint16_t place = 0;
        for (std::size_t length = 1; length <= kLongestCode; ++length) {
            code = (code + counts[length - 1]) << 1U;
            first_[length] = code;
            end_[length] = code + counts[length];
            place_[length] = place;
            place = static_cast<std::uint16_t>(place + counts[length]);
            if (end_[length] > (1U << length)) {
                return false;
            }
        }
        std::array<std::uint16_t, kLongestCode + 1> next = place_;
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
            if (lengths[symbol] > 0) {
                symbols_[next[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
            }
        }
        return true;
    }

    // Nothing where no code begins.
    [[nodiscard]] std::optional<unsigned> read(Bits& bits) const {
        unsigned code = 0;
        for (std::size_t length = 1; length <= kLongestCode; ++length) {
            code = (code << 1U) | bits.take(1);
            if (code >= first_[length] && code < end_[length]) {
                return symbols_[place_[length] + code - first_[length]];
            }
        }
        return std::nullopt;
    }

private:
    std::array<unsigned, kLongestCode + 1> first_{};
    std::array<unsigned, kLongestCode + 1> end_{};
    std::array<std::uint16_t, kLongestCode + 1> place_{};
    std::array<std::uint16_t, kLiterals> symbols_{};
};

// The two codes of a block: of literals with lengths of copies, and of their distances.
struct Codes {
    Code literals;
    Code distances;
};

bool make_fixed(Codes& out) {
    std::array<std::uint8_t, kLiterals> lengths{};
    for (std::size_t i = 0; i < kLiterals; ++i) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    std::array<std::uint8_t, kDistances> distances{};
    distances.fill(5);
    return out.literals.make(lengths) && out.distances.make(distances);
}

// The lengths of codes, which are themselves compressed.
bool read_codes(Bits& bits, Codes& out) {
    constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = bits.take(5) + 257;
    const std::size_t distances = bits.take(5) + 1;
    const std::size_t given = bits.take(4) + 4;
    std::array<std::uint8_t, 19> own{};
    for (std::size_t i = 0; i < given; ++i) {
        own[kOrder[i]] = static_cast<std::uint8_t>(bits.take(3));
    }
    Code code;
    if (literals > kLiterals || !code.make(own)) {
        return false;
    }
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < literals + distances) {
        const std::optional<unsigned> symbol = code.read(bits);
        if (!symbol || bits.cut || (*symbol == 16 && lengths.empty())) {
            return false;
        }
        const std::uint8_t value = *symbol < 16    ? static_cast<std::uint8_t>(*symbol)
                                   : *symbol == 16 ? lengths.back()
                                                   : 0;
        const unsigned times = *symbol < 16    ? 1
                               : *symbol == 16 ? 3 + bits.take(2)
                               : *symbol == 17 ? 3 + bits.take(3)
                                               : 11 + bits.take(7);
        lengths.insert(lengths.end(), times, value);
    }
    const std::span all(lengths);
    return lengths.size() == literals + distances && out.literals.make(all.first(literals)) &&
           out.distances.make(all.subspan(literals));
}

// A number whose first bits are in the symbol: `plain` symbols are numbers, then every `same` of them have one bit
// more.
unsigned extended(Bits& bits, unsigned symbol, unsigned plain, unsigned same) {
    if (symbol < plain) {
        return symbol;
    }
    const unsigned more = (symbol - plain) / same + 1;
    return ((same + (symbol - plain) % same) << more) + bits.take(more);
}

bool copy_back(Bits& bits, const Codes& codes, unsigned symbol, std::size_t size, std::string& out) {
    const unsigned number = symbol - 257;
    const std::size_t length = number == 28 ? 258 : 3 + extended(bits, number, 8, 4);
    const std::optional<unsigned> far = codes.distances.read(bits);
    if (number > 28 || !far || *far > 29) {
        return false;
    }
    const std::size_t distance = 1 + extended(bits, *far, 4, 2);
    if (distance > out.size() || length > size - out.size()) {
        return false;
    }
    for (std::size_t i = 0; i < length; ++i) {
        out += out[out.size() - distance];
    }
    return true;
}

bool read_block(Bits& bits, const Codes& codes, std::size_t size, std::string& out) {
    while (!bits.cut) {
        const std::optional<unsigned> symbol = codes.literals.read(bits);
        if (!symbol || bits.cut) {
            return false;
        }
        if (*symbol == kEndOfBlock) {
            return true;
        }
        if (*symbol < kEndOfBlock && out.size() < size) {
            out += static_cast<char>(*symbol);
        } else if (*symbol < kEndOfBlock || !copy_back(bits, codes, *symbol, size, out)) {
            return false;
        }
    }
    return false;
}

bool read_stored(Bits& bits, std::size_t size, std::string& out) {
    bits.to_byte();
    const unsigned length = bits.take(16);
    if (bits.take(16) != (length ^ 0xFFFFU) || length > size - out.size()) {
        return false;
    }
    for (unsigned i = 0; i < length && !bits.cut; ++i) {
        out += static_cast<char>(bits.take(8));
    }
    return true;
}

}  // namespace

std::optional<std::string> inflate(std::string_view bytes, std::size_t size) {
    Bits bits(bytes);
    std::string out;
    for (bool last = false; !last;) {
        last = bits.take(1) != 0;
        const unsigned kind = bits.take(2);
        Codes codes;
        const bool read = kind == 0 ? read_stored(bits, size, out)
                                    : kind < 3 && (kind == 1 ? make_fixed(codes) : read_codes(bits, codes)) &&
                                          read_block(bits, codes, size, out);
        if (!read || bits.cut) {
            return std::nullopt;
        }
    }
    return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tenon
