// SPDX-License-Identifier: Apache-2.0
#include "commands/prune/prune.hpp"

#include <algorithm>
#include <system_error>

#include "folder/records/lock.hpp"
#include "shared/history/run_info.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon::host {
namespace {

namespace fs = std::filesystem;

// Whether the run has a buffer. Files of a run without one have only its newest observations.
bool has_buffer(const RunInfo& run) {
    return std::ranges::any_of(run.values, [](const auto& value) { return value.first.starts_with("buffer."); });
}

// The folder of the running launcher to which the run belongs; empty: none. A sweep continues runs that have ended, and
// uses their buffers. Its runs are at most three folders below it.
fs::path running_launcher(const fs::path& run) {
    std::error_code code;
    fs::path folder = fs::canonical(run, code);
    for (int level = 0; level < 3 && !code; ++level) {
        folder = folder.parent_path();
        if (lock_state(folder) == LockState::kHeld) {
            return folder;
        }
    }
    return {};
}

Status carry_out(const Deletions& deletions, const fs::path& directory, std::size_t keep) {
    TENON_TRY(keep_newest(directory, keep));
    const NewestCheckpoint newest = TENON_TRY(newest_checkpoint(directory));
    for (const std::int64_t frames : deletions.buffers) {
        const bool is_newest = newest.checkpoint && newest.checkpoint->frames == frames;
        TENON_TRY(delete_buffer(directory, frames, is_newest));
    }
    return {};
}

}  // namespace

Result<PrunePlan> plan_pruning(const fs::path& run, const PruneRequest& request) {
    const RunInfo info = TENON_TRY(read_run_info(run));
    PrunePlan plan{.run = run, .state = state_of(info), .has_buffer = has_buffer(info)};
    plan.launcher = running_launcher(run);
    if (!plan.launcher.empty()) {
        plan.state = RunState::kRunning;
    }
    plan.left_alone = plan.state == RunState::kRunning || (plan.state != RunState::kEnded && !request.unfinished);
    if (!plan.left_alone) {
        plan.deletions = deletions_in(run / "checkpoints", request.keep, request.buffers && plan.has_buffer);
    }
    return plan;
}

Result<PrunePlan> prune(const fs::path& run, const PruneRequest& request) {
    Result<PrunePlan> plan = plan_pruning(run, request);
    if (!plan || !plan->frees()) {
        return plan;
    }
    const bool was_released = lock_state(run) == LockState::kReleased;
    const PrivateDescriptor lock = TENON_TRY(lock_run(run));
    const fs::path directory = run / "checkpoints";
    plan->deletions = deletions_in(directory, request.keep, request.buffers && plan->has_buffer);
    const Status done = carry_out(plan->deletions, directory, request.keep);
    if (was_released) {
        mark_released(lock);  // otherwise a run that was stopped would look as if its process had died
    }
    return done ? plan : Result<PrunePlan>(done.error());
}

}  // namespace tenon::host
