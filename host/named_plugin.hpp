// SPDX-License-Identifier: Apache-2.0
// What a command is to look at: a file, a library, or one of its components.
#pragma once

#include <filesystem>
#include <string>

#include "command_line.hpp"
#include "tenon/core.hpp"

namespace tenon::host {

struct NamedPlugin {
    std::filesystem::path path;
    std::string component;  // its id; empty: all of them
};

// `word` is a file's path, LIBRARY or LIBRARY/COMPONENT; the latter are looked for where the command line says.
Result<NamedPlugin> named_plugin(const std::string& word, const CommandLine& line);

}  // namespace tenon::host
