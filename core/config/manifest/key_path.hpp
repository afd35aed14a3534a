// SPDX-License-Identifier: Apache-2.0
// A dotted key as in TOML and --set: names separated by '.', in quotes if they contain other characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

struct KeyPart {
    std::string name;
    std::size_t begin = 0;  // in bytes, including quotes
    std::size_t end = 0;
};

struct KeyPath {
    std::vector<KeyPart> parts;
    std::size_t end = 0;  // of the path and the blanks after it; for an incomplete path, where a name is missing
    bool is_whole = false;
};

// The path that begins at `at`, up to a character that cannot belong to it: '=', ']', the end of the line.
KeyPath read_key_path(std::string_view text, std::size_t at = 0);

// The first `count` parts as written, a.b."c.d".
std::string joined(const std::vector<KeyPart>& parts, std::size_t count);

// The element of `list` that a dotted key addresses by its number, as in "env.transforms.0", by its name, as in
// "objective.hunt", or by its plugin or the last part of that, as in "env.transforms.clip". The problem names the list
// by its `path` and refers to `place`.
Result<std::size_t> element_named(const std::string& name, const std::vector<TomlNode>& list, const std::string& path,
                                  const Place& place);

}  // namespace tenon
