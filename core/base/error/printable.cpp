// SPDX-License-Identifier: Apache-2.0
#include "base/error/printable.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tenon {
namespace {

bool continues(std::string_view text, std::size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
    return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
           static_cast<unsigned char>(text[at]) <= high;
}

void append_hex(std::string& out, std::uint32_t number, std::size_t least) {
    std::array<char, 8> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out.append(least - std::min(least, text.size()), '0').append(text);
}

}  // namespace

// Unicode, table 3-7.
std::size_t character_size(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return continues(text, 1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool second = continues(text, 1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
        return second && continues(text, 2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool second = continues(text, 1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
        return second && continues(text, 2) && continues(text, 3) ? 4 : 0;
    }
    return 0;
}

std::uint32_t code_point(std::string_view character) {
    constexpr std::array<std::uint32_t, 5> kLeadBits = {0, 0x7f, 0x1f, 0x0f, 0x07};
    std::uint32_t out = static_cast<unsigned char>(character.front()) & kLeadBits[character.size()];
    for (const char c : character.substr(1)) {
        out = out << 6U | (static_cast<unsigned char>(c) & 0x3fU);
    }
    return out;
}

bool is_control(std::string_view character) {
    const std::uint32_t c = code_point(character);
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
        text.remove_prefix(character.size());
        if (character == "\n" || character == "\t" || (size > 0 && !is_control(character))) {
            out += character;
        } else if (size < 2) {
            append_hex(out += "\\x", static_cast<unsigned char>(character.front()), 2);
        } else {
            append_hex(out += "\\u{", code_point(character), 1);
            out += '}';
        }
    }
    return out;
}

}  // namespace tenon
