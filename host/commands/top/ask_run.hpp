// SPDX-License-Identifier: Apache-2.0
// Requests of a person who watches a run. They are sent to its process as signals, because a run accepts no connections
// and does not depend on watchers.
#pragma once

#include "base/error/result.hpp"
#include "folder/records/requests.hpp"
#include "shared/watch/watched_run.hpp"

namespace tenon {

// For both, it is a problem if the run is not running, or if the process id in its lock belongs to another process of
// this machine.
// Asks the run to stop with a checkpoint, as Ctrl-C does.

// Asks the run to stop with a checkpoint, as Ctrl-C does.
Status stop_run(const WatchedRun& run);

// It is also a problem if a run without evaluations is asked for one, or if the run is not in its loop yet.
Status ask_run(const WatchedRun& run, const AskedOfRun& request);

}  // namespace tenon
