// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/utf8.hpp"

#include <algorithm>
#include <cstdint>

namespace tenon {
namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The number of bytes of the code point that begins with `lead`; 0 if none does.
std::size_t length_of(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto lead = static_cast<unsigned char>(bytes.front());
        const std::size_t length = length_of(lead);
        if (length == 0 || length > bytes.size() ||
            !std::all_of(bytes.begin() + 1, bytes.begin() + length, continues)) {
            return false;
        }
        // Overlong, a surrogate, or beyond the last code point.
        const auto second = static_cast<unsigned char>(length > 1 ? bytes[1] : '\0');
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
            (lead == 0xf4 && second > 0x8f)) {
            return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

std::size_t count_code_points(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

}  // namespace tenon
