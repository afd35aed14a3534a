// SPDX-License-Identifier: Apache-2.0
// Whether a run is running, seen from outside.
#pragma once

#include <cstdint>
#include <string_view>

#include "shared/history/history_reader.hpp"
#include "shared/history/run_info.hpp"

namespace tenon {

enum class RunState : std::uint8_t {
    kRunning,  // a process holds its lock
    kEnded,    // it has its full length, or has ended before it as its manifest says
    kStopped,  // a person or a hook stopped it; it can be resumed
    kDied,     // its process failed or was killed; it can be resumed from its last checkpoint
};

// "running", "ended", "stopped", "died".
std::string_view name_of(RunState state);

// Quick while a run is running and once it has its full length; otherwise it reads the records.
RunState state_of(const RunInfo& run);

// The same for a run whose records have been read, with all columns: always quick.
RunState state_of(const RunInfo& run, const HistoryReader& history);

}  // namespace tenon
