// SPDX-License-Identifier: Apache-2.0
// Finds what can be deleted from a run without changing what `eval`, `play`, `serve`, `export` and `--resume` use by
// default: the best checkpoint and the newest one.
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/error/result.hpp"
#include "commands/prune/deletions.hpp"
#include "shared/history/run_state.hpp"

namespace tenon::host {

struct PruneRequest {
    std::size_t keep = 1;     // newest checkpoints, besides the best ones; at least 1
    bool buffers = false;     // whether kept checkpoints lose the frames of their buffer
    bool unfinished = false;  // whether runs that were stopped or died are pruned, too
};

struct PrunePlan {
    std::filesystem::path run;
    RunState state = RunState::kEnded;
    // not pruned: it or its launcher is running, or it has not ended and only ended runs are pruned
    bool left_alone = false;
    bool has_buffer = false;
    std::filesystem::path launcher = {};  // the running folder of seeds or sweep to which the run belongs
    Deletions deletions = {};

    [[nodiscard]] bool frees() const { return !deletions.checkpoints.empty() || !deletions.buffers.empty(); }
};

Result<PrunePlan> plan_pruning(const std::filesystem::path& run, const PruneRequest& request);

// Makes the plan again while it holds the run's lock, deletes what the plan names, and returns it. An interruption at
// any moment leaves every checkpoint complete or absent.
Result<PrunePlan> prune(const std::filesystem::path& run, const PruneRequest& request);

}  // namespace tenon::host
