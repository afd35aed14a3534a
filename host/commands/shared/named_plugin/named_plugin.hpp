// SPDX-License-Identifier: Apache-2.0
// The subject of a command: a file, a library, or one of its components.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"
#include "command_line.hpp"

namespace tenon::host {

struct NamedPlugin {
    std::filesystem::path path;
    std::string component;  // its id; empty: all components
};

// `word` is a file's path, LIBRARY or LIBRARY/COMPONENT. Libraries are searched for in the command line's folders.
Result<NamedPlugin> named_plugin(const std::string& word, const CommandLine& line);

}  // namespace tenon::host
