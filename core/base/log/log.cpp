// SPDX-License-Identifier: Apache-2.0
// The only file that includes spdlog: its bundled formatting must not meet libtorch's.
#include "base/log/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/error/printable.hpp"

namespace tenon {
namespace {

spdlog::level::level_enum spdlog_level(Level level) {
    using enum spdlog::level::level_enum;
    static constexpr std::array kLevels = {debug, info, warn, err, off};
    return kLevels[static_cast<std::size_t>(level)];
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

}  // namespace tenon
