// SPDX-License-Identifier: Apache-2.0
// Converts TOML text to our own tree. The only file that knows the TOML library.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

// `file` is the name in places; nothing is read from disk.
Result<TomlTable> parse_toml(std::string_view text, const std::string& file);

}  // namespace tenon
