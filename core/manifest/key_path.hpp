// SPDX-License-Identifier: Apache-2.0
// A dotted key, as TOML and --set write it: names with '.' between them, in quotes where they hold other characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct KeyPart {
    std::string name;
    std::size_t begin = 0;  // in bytes, quotes included
    std::size_t end = 0;
};

struct KeyPath {
    std::vector<KeyPart> parts;
    std::size_t end = 0;  // of the path and the blanks behind it; of one that is not whole, where a name is missing
    bool is_whole = false;
};

// The path that begins at `at`, up to a character that is no part of it: '=', ']', the end of the line.
KeyPath read_key_path(std::string_view text, std::size_t at = 0);

// The first `count` parts as they are written, a.b."c.d".
std::string joined(const std::vector<KeyPart>& parts, std::size_t count);

}  // namespace tenon
