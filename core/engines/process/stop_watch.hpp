// SPDX-License-Identifier: Apache-2.0
// Whether another process of this machine is stopped, as by SIGSTOP, so that nobody waits for it for ever.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace tenon {

bool is_stopped_now(pid_t process);

// Whether a process has been stopped for so long. It must be asked again and again.
class StopWatch {
public:
    bool is_stopped(pid_t process, std::chrono::milliseconds patience);

private:
    std::optional<std::chrono::steady_clock::time_point> since_;
};

// How long a stopped process is waited for, if a connection may take `limit`.
inline std::chrono::milliseconds stop_patience(std::chrono::milliseconds limit) {
    return limit < std::chrono::seconds(20) ? limit / 2 : std::chrono::seconds(10);
}

}  // namespace tenon
