// SPDX-License-Identifier: Apache-2.0
#include "engines/process/stop_watch.hpp"

#include <fstream>
#include <string>

namespace tenon {

// The state is behind the name.
bool is_stopped_now(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(')');
    return name != std::string::npos && text.compare(name, 4, ") T ") == 0;
}

bool StopWatch::is_stopped(pid_t process, std::chrono::milliseconds patience) {
    const auto now = std::chrono::steady_clock::now();
    since_ = is_stopped_now(process) ? std::optional(since_.value_or(now)) : std::nullopt;
    return since_ && now - *since_ >= patience;
}

}  // namespace tenon
