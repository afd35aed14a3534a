// SPDX-License-Identifier: Apache-2.0
// Leaving on request: the first Ctrl-C or SIGTERM asks the loop to stop, the second ends the process at once, with 128
// plus its number as the exit code. And pauses, which are nobody's working time.
#pragma once

#include <csignal>

namespace tenon {

// Handles SIGINT, SIGTERM and SIGCONT while it lives, one at a time in a process, and puts back what was there before.
// The first two are handled even where a parent has them ignored: a shell script does that to what it starts with '&',
// and whoever sends a run a signal means it.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // Cheap enough for every turn of the loop; any thread may ask.
    [[nodiscard]] static bool requested() noexcept;

    // Whether that was so long ago that the loop leaves from the middle of a round or of an evaluation. A short one
    // comes to its end first.
    [[nodiscard]] static bool overdue() noexcept;

    // Until a stop is requested, or wake() is called; for one other thread.
    static void wait() noexcept;
    static void wake() noexcept;

    // How often the process was stopped (Ctrl-Z, SIGSTOP) and goes on. Nothing is said about the beginning of a pause:
    // a measurement within which this number changes has measured the pause.
    [[nodiscard]] static int pauses() noexcept;

private:
    struct sigaction old_interrupt_{};
    struct sigaction old_terminate_{};
    struct sigaction old_continue_{};
};

}  // namespace tenon
