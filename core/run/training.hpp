// SPDX-License-Identifier: Apache-2.0
// A training run from beginning to end: rounds, records, evaluations, checkpoints, and leaving when asked to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "error/result.hpp"
#include "run/notice.hpp"
#include "run/setup.hpp"
#include "train/score.hpp"

namespace tenon {

struct TrainingRequest {
    Request request;               // the manifest may be empty where resume is given
    std::filesystem::path out;     // empty: runs/NAME-N
    std::filesystem::path resume;  // a run folder to go on with; empty: a new run
    std::filesystem::path from;    // a run folder whose weights a new run begins with; empty: none
    std::filesystem::path dump;    // where compiled programs leave what they have become; empty: nowhere
    bool quiet = false;            // no progress
};

struct NamedScore {
    std::string name;  // of the evaluation env; empty: it has none
    Score score;
};

struct TrainingResult {
    std::filesystem::path out;
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::string executor;  // empty: nothing was computed by one
    double seconds = 0;
    double working_s = 0;          // of them, collecting and updating
    std::string unit;              // what the run counts itself in: "frame", or "update" where it only learns
    double per_second = 0;         // so many of them, by this process: collecting and updating only
    std::vector<NamedScore> last;  // of the policy as it is now, if it has been evaluated; the first is the main one
    std::optional<double> best_return;
    std::vector<std::pair<std::string, double>> metrics;  // as the run stands now; none if nothing was done
    bool stopped = false;                                 // by a signal
    bool reached_return = false;                          // run.stop_at_return, before the run's length
    bool had_finished = false;                            // before it was resumed: nothing was left to do
};

// The problems are empty where the result is complete.
std::optional<TrainingResult> run_training(const TrainingRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
