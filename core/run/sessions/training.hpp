// SPDX-License-Identifier: Apache-2.0
// A training run from start to end: rounds, records, evaluations, checkpoints, and stopping on request.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/profile/profile.hpp"
#include "run/sessions/return_watch.hpp"
#include "run/start/notice.hpp"
#include "run/start/setup.hpp"
#include "train/collect/score.hpp"

namespace tenon {

// The place at which a run stops early, with a checkpoint, as if it had been asked to; nothing: none.
struct Leave {
    std::optional<std::int64_t> at_frames;
    std::optional<std::int64_t> at_updates;
};

struct TrainingRequest {
    Request request;                        // the manifest may be empty if resume is set
    std::filesystem::path out;              // empty: runs/NAME-N
    std::filesystem::path resume;           // a run folder to resume; empty: a new run
    std::vector<std::string> changed = {};  // keys that may differ from the run to resume
    std::filesystem::path from;             // a run folder with the initial weights of a new run; empty: none
    std::filesystem::path dump;             // folder for dumps of compiled programs; empty: none
    std::filesystem::path trace = {};       // a file for a trace of the run's spans; empty: none
    Leave leave = {};
    bool profile = false;  // measures where the time goes; log.profile and a trace do so as well
    bool quiet = false;    // no progress display
    // Another process restarts this one if its surroundings fail, so a problem of theirs needs no help how to continue.
    bool is_restarted = false;
    // The program and its arguments that make the same request again, for the other shards of a run; empty: unknown.
    std::vector<std::string> again = {};
};

// The episodes that collector.record has written.
struct RecordedEpisodes {
    std::filesystem::path to;
    std::uint64_t episodes = 0;  // whole ones
    std::uint64_t frames = 0;
    bool written = false;  // otherwise they are in the run's folder only
};

struct TrainingResult {
    std::filesystem::path out;
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::string executor;  // empty: nothing was computed by an executor
    double seconds = 0;
    double working_s = 0;          // of these, spent collecting and updating
    std::string unit;              // the unit of the run's length: "frame", or "update" if it only learns
    double per_second = 0;         // units per second of this process, while collecting and updating
    std::vector<NamedScore> last;  // of the present policy, if it has been evaluated; the first is the main one
    std::optional<double> best_return;
    std::optional<ReturnPair> drawn_is_better;  // this and the next: as in ReturnWatch, of a run that has ended
    std::optional<ReturnPair> not_learnt;
    // if these are set, the manifest that comes with the program for the env; empty: there is none
    std::string shipped;
    std::vector<std::pair<std::string, double>> metrics;  // at the end of the run; empty if nothing was done
    bool stopped = false;                                 // by a signal, or at the place where it stops early
    std::string early_end;                                // why the run ended before its full length; empty: it did not
    std::vector<Profile::Spent> spent;                    // where the time went; empty: it was not measured
    std::optional<RecordedEpisodes> recorded;
    bool follows = false;       // of a shard that is not the first: all the rest is of no meaning
    bool had_finished = false;  // before it was resumed, so it had nothing left to do
};

// Makes the run. Without problems the result is complete.
std::optional<TrainingResult> run_training(const TrainingRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
