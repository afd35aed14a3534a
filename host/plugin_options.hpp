// SPDX-License-Identifier: Apache-2.0
// The options of all commands that search for plugins.
#pragma once

#include <vector>

#include "command_line.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon::host {

void add_plugin_options(CommandLine& line);

// The folders of --plugins.
std::vector<SearchFolder> given_plugin_folders(const CommandLine& line);

// These and the default folders.
std::vector<SearchFolder> plugin_folders(const CommandLine& line);

}  // namespace tenon::host
