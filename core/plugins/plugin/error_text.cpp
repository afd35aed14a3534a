// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/error_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

constexpr std::size_t kCapacity = 4096;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Kept {
    std::array<char, kCapacity> text;
    std::size_t size;
};

thread_local Kept kept_text;  // plain data without a destructor, which late threads could outlive

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
