// SPDX-License-Identifier: Apache-2.0
// Scores a checkpoint of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/override.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/sessions/screen.hpp"
#include "run/start/notice.hpp"
#include "train/collect/score.hpp"

namespace tenon {

struct ScoringRequest {
    std::filesystem::path folder;                // of the run
    std::optional<std::string> checkpoint = {};  // as in RunRequest
    std::string env;                             // the name of an evaluation env; empty: the first
    std::optional<std::int64_t> episodes;        // default: the manifest's; to play: 1
    std::optional<std::int64_t> seed;            // default: the manifest's
    std::optional<std::string> actions = {};     // default: the manifest's
    std::optional<std::int64_t> max_steps = {};  // default: the manifest's
    std::vector<SearchFolder> plugins;
    std::vector<Override> overrides = {};  // of the run's manifest: of [env], [eval], [policy] and [run]
};

struct CheckpointScore {
    Score all;
    std::vector<NamedScore> tasks;   // of each task, if the evaluation has several
    std::vector<NamedScore> groups;  // of each group of agents, if several have rewards
};
std::optional<CheckpointScore> score_checkpoint(const ScoringRequest& request, const Notice& notice,
                                                Problems& problems);

// Plays episodes with an evaluator that has a single lane, and the numbers of the run at the checkpoint. Nothing,
// without a problem, if it was stopped by a signal.
using PlayEpisodes =
    std::function<Result<std::optional<Score>>(Evaluator&, const RunNumbers&, std::int64_t episodes, StopAsked)>;
std::optional<Score> play_checkpoint(const ScoringRequest& request, const PlayEpisodes& play, const Notice& notice,
                                     Problems& problems);
// The same as show_episodes does (screen.hpp).
std::optional<Score> play_checkpoint(const ScoringRequest& request, const Screen& screen, const Notice& notice,
                                     Problems& problems);

}  // namespace tenon
