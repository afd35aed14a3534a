// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/error_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace tenon {
namespace {

constexpr std::size_t kCapacity = 4096;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Kept {
    std::array<char, kCapacity> text;
    std::size_t size;
};

thread_local Kept kept_text;  // plain data without a destructor, which late threads could outlive

bool continues(std::string_view text, std::size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
    return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
           static_cast<unsigned char>(text[at]) <= high;
}

// The number of bytes of the character at the start of the text, 0 if it is invalid (Unicode, table 3-7).
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

// Passes one repaired character after the other to `put` until it refuses.
template <class Put>
void repair(std::string_view text, Put put) {
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const bool control = size == 1 && (static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f);
        const std::string_view out = size == 0 ? kReplacement : control ? std::string_view(" ") : text.substr(0, size);
        if (!put(out)) {
            return;
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
}

}  // namespace

void keep_error(tn_str text) {
    kept_text.size = 0;
    if (text.data == nullptr) {
        return;
    }
    // Reads only as much as can fit, because a plugin may give any size.
    repair({text.data, std::min<std::size_t>(text.size, kCapacity)}, [](std::string_view character) {
        if (kept_text.size + character.size() > kCapacity) {
            return false;
        }
        std::memcpy(kept_text.text.data() + kept_text.size, character.data(), character.size());
        kept_text.size += character.size();
        return true;
    });
}

std::string take_error() {
    std::string text(kept_text.text.data(), kept_text.size);
    kept_text.size = 0;
    return text;
}

void drop_error() {
    kept_text.size = 0;
}

std::string repaired(std::string_view text) {
    std::string out;
    repair(text, [&out](std::string_view character) {
        out += character;
        return true;
    });
    return out;
}

}  // namespace tenon
