// SPDX-License-Identifier: Apache-2.0
// Leaving on request: the first Ctrl-C or SIGTERM asks the loop to stop, the second ends the process at once.
#pragma once

#include <csignal>

namespace tenon {

// Handles SIGINT and SIGTERM while it lives, one at a time in a process, and puts back what was there before. Both are
// handled even where a parent has them ignored: a shell script does that to what it starts with '&', and whoever sends
// a run a signal means it.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // Cheap enough for every turn of the loop; any thread may ask.
    [[nodiscard]] static bool requested() noexcept;

private:
    struct sigaction old_interrupt_{};
    struct sigaction old_terminate_{};
};

}  // namespace tenon
