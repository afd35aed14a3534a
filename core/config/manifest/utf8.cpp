// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/utf8.hpp"

#include <algorithm>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t size = character_size(bytes);
        if (size == 0) {
            return false;
        }
        bytes.remove_prefix(size);
    }
    return true;
}

std::size_t count_code_points(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

}  // namespace tenon
