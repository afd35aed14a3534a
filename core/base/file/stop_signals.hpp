// SPDX-License-Identifier: Apache-2.0
// Stopping on request: the first Ctrl-C, SIGTERM or SIGHUP asks the loop to stop; a second Ctrl-C or SIGTERM ends the
// process at once, with 128 plus the signal number as the exit code. It also counts pauses, which are not working time.
#pragma once

#include <csignal>

namespace tenon {

// Handles SIGINT, SIGTERM, SIGHUP and SIGCONT during its lifetime, only one object at a time, and then restores the
// earlier handlers. It handles the first two even if the parent ignores them: a shell script does that for background
// commands, but a signal to the run is still a request. An ignored SIGHUP stays ignored: `nohup` asks for it.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // Cheap enough for every iteration of the loop; any thread may call it.
    [[nodiscard]] static bool requested() noexcept;

    // Whether the request is so old that the loop should leave in the middle of a round or an evaluation. A short one
    // is finished first.
    [[nodiscard]] static bool overdue() noexcept;

    // Waits until a stop is requested or wake() is called; for one other thread.
    static void wait() noexcept;
    static void wake() noexcept;

    // How often the process was stopped (Ctrl-Z, SIGSTOP) and continued. The start of a pause is not reported: if this
    // number changes during a measurement, the measurement includes a pause.
    [[nodiscard]] static int pauses() noexcept;

private:
    struct sigaction old_interrupt_{};
    struct sigaction old_terminate_{};
    struct sigaction old_hang_up_{};
    struct sigaction old_continue_{};
};

}  // namespace tenon
