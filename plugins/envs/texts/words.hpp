// SPDX-License-Identifier: Apache-2.0
// Splits a text into words by the pattern of GPT-2's tokenizer; no token crosses the end of a word:
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace text {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};
#include "unicode_classes.inc"

enum class Class : std::uint8_t { kLetter, kNumber, kBlank, kOther, kEnd };

struct Character {
    Class what = Class::kEnd;
    std::size_t bytes = 0;
};

template <std::size_t kCount>
bool is_in(const Range (&ranges)[kCount], std::uint32_t code) {
    const auto* const found = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                               [](std::uint32_t c, const Range& range) { return c < range.first; });
    return found != std::begin(ranges) && code <= std::prev(found)->last;
}

// A byte that begins no character of UTF-8 is one of the others.
inline Character character_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) {
        return {};
    }
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned lead = byte(at);
    const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    std::uint32_t code = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80) {
            return {Class::kOther, 1};
        }
        code = code << 6U | (byte(at + i) & 0x3FU);
    }
    if (size == 1 && lead >= 0x80) {
        return {Class::kOther, 1};
    }
    const Class what = is_in(kLetters, code)   ? Class::kLetter
                       : is_in(kNumbers, code) ? Class::kNumber
                       : is_in(kBlanks, code)  ? Class::kBlank
                                               : Class::kOther;
    return {what, size};
}

// The end of the run of characters of that class.
inline std::size_t end_of_run(std::string_view text, std::size_t at, Class what) {
    for (Character next = character_at(text, at); next.what == what; next = character_at(text, at)) {
        at += next.bytes;
    }
    return at;
}

// The word at the beginning of a text that is not empty.
inline std::string_view first_word(std::string_view text) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
        if (text.starts_with(ending)) {
            return text.substr(0, ending.size());
        }
    }
    const std::size_t begin = text.front() == ' ' ? 1 : 0;
    const Class what = character_at(text, begin).what;
    if (what != Class::kBlank && what != Class::kEnd) {
        return text.substr(0, end_of_run(text, begin, what));
    }
    // Blanks; the last one belongs to the word that follows, unless it is alone.
    std::size_t end = 0, last = 0;
    for (Character next = character_at(text, 0); next.what == Class::kBlank; next = character_at(text, end)) {
        last = end;
        end += next.bytes;
    }
    return text.substr(0, end == text.size() || last == 0 ? end : last);
}

}  // namespace text
