// SPDX-License-Identifier: Apache-2.0
// Whether a run is running, seen from outside.
#pragma once

#include <cstdint>
#include <string_view>

#include "folder/history/history_reader.hpp"
#include "folder/history/run_info.hpp"

namespace tenon {

enum class RunState : std::uint8_t {
    kRunning,  // a process holds its lock
    kEnded,    // it has its full length, or has ended before it as its manifest says
    kStopped,  // a person or a hook stopped it; it can be resumed
    kDied,     // its process failed or was killed; it can be resumed from its last checkpoint
};

// "running", "ended", "stopped", "died".
std::string_view name_of(RunState state);

// Cheap while a run is running and once it has its full length; otherwise reads its records.
RunState state_of(const RunInfo& run);

// The same with records that have been read, all columns of them: cheap always.
RunState state_of(const RunInfo& run, const HistoryReader& history);

}  // namespace tenon
