// SPDX-License-Identifier: Apache-2.0
// The only file that includes spdlog: its bundled formatting must not meet libtorch's.
#include "base/log/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
        case Level::kDebug:
            return spdlog::level::debug;
        case Level::kInfo:
            return spdlog::level::info;
        case Level::kWarning:
            return spdlog::level::warn;
        case Level::kError:
            return spdlog::level::err;
        case Level::kOff:
            break;
    }
    return spdlog::level::off;
}

// Never destroyed: plugins stay mapped to the end and may log from their static destructors.
spdlog::logger& logger() {
    static spdlog::logger* const instance = [] {
        const char* no_color = std::getenv("NO_COLOR");
        const auto mode =
            no_color != nullptr && *no_color != '\0' ? spdlog::color_mode::never : spdlog::color_mode::automatic;
        auto* made = new spdlog::logger("tenon", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode));
        made->set_pattern("%^%l%$: %v");
        return made;
    }();
    return *instance;
}

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

// Never destroyed, as the logger.
PluginLines& plugin_lines() {
    static auto* const instance = new PluginLines;
    return *instance;
}

}  // namespace

void set_log_level(Level level) {
    logger().set_level(spdlog_level(level));
}

bool is_logged(Level level) {
    return level != Level::kOff && logger().should_log(spdlog_level(level));
}

void log(Level level, std::string_view text) {
    if (level != Level::kOff) {
        const std::string shown = printable(text);
        logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
    }
}

void log_once(Level level, std::string_view text) {
    static std::mutex mutex;
    static auto* const known = new std::set<std::string, std::less<>>;  // never destroyed, as the logger
    const std::scoped_lock lock(mutex);
    if (known->emplace(text).second) {
        log(level, text);
    }
}

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
