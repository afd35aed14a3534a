// SPDX-License-Identifier: Apache-2.0
// The file that keeps what plugins say during a run.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/log/log.hpp"

namespace tenon {

// A line of a plugin: on stderr like that of log(), and in the file of the PluginLog, if there is one.
void log_of_plugin(Level level, std::string_view text);

// While it lives, lines of plugins are appended to this file, whatever their level. The first line creates the file.
// Only one object exists at a time.
class PluginLog {
public:
    explicit PluginLog(std::filesystem::path file);
    PluginLog(const PluginLog&) = delete;
    PluginLog& operator=(const PluginLog&) = delete;
    ~PluginLog();
};

}  // namespace tenon
