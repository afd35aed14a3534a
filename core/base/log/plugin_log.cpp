// SPDX-License-Identifier: Apache-2.0
#include "base/log/plugin_log.hpp"

#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

// The file of the PluginLog.
struct PluginLines {
    static constexpr std::uintmax_t kMost = std::uintmax_t{16} << 20U;

    void open(std::filesystem::path path) {
        const std::scoped_lock lock(mutex);
        stream = std::ofstream();
        file = std::move(path);
    }

    void add(Level level, const std::string& line) {
        const std::scoped_lock lock(mutex);
        if (file.empty()) {
            return;
        }
        if (!stream.is_open()) {
            std::error_code code;  // there may be no file yet
            const std::uintmax_t written = std::filesystem::file_size(file, code);
            size = code ? 0 : written;
            stream.open(file, std::ios::binary | std::ios::app);
        }
        if (size < kMost) {
            const std::string whole = std::string(level == Level::kWarning ? "warning: "
                                                  : level == Level::kError ? "error: "
                                                                           : "") +
                                      line + "\n";
            size += whole.size();
            stream << whole << (size < kMost ? "" : "what follows is left out: this file has 16 MiB\n") << std::flush;
        }
    }

    std::mutex mutex;
    std::filesystem::path file;  // empty: none
    std::ofstream stream;
    std::uintmax_t size = 0;
};

// Never destroyed, like the logger: plugins may log from their static destructors.
PluginLines& plugin_lines() {
    static auto* const instance = new PluginLines;
    return *instance;
}

}  // namespace

void log_of_plugin(Level level, std::string_view text) {
    log(level, text);
    plugin_lines().add(level, printable(text));
}

PluginLog::PluginLog(std::filesystem::path file) {
    plugin_lines().open(std::move(file));
}

PluginLog::~PluginLog() {
    plugin_lines().open({});
}

}  // namespace tenon
