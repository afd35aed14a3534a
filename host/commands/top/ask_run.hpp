// SPDX-License-Identifier: Apache-2.0
// What a person who watches a run may ask of it. Only its process is told, by a signal: a run has no door of its own,
// and does not depend on anybody who watches.
#pragma once

#include "base/error/result.hpp"
#include "folder/records/requests.hpp"
#include "shared/watch/watched_run.hpp"

namespace tenon {

// Both are a problem if the run is not running, or if the id in its lock belongs to another process of this machine.

// Asks the run to stop with a checkpoint, as Ctrl-C does.
Status stop_run(const WatchedRun& run);

// Also a problem: a run without evaluations is asked for one, or the run is not in its loop yet.
Status ask_run(const WatchedRun& run, const AskedOfRun& request);

}  // namespace tenon
