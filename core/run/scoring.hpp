// SPDX-License-Identifier: Apache-2.0
// Scores a checkpoint of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/store.hpp"
#include "env/lanes.hpp"
#include "error/problem.hpp"
#include "plugin/search_path.hpp"
#include "run/notice.hpp"
#include "train/score.hpp"

namespace tenon {

struct ScoringRequest {
    std::filesystem::path folder;           // of the run
    std::optional<std::string> checkpoint;  // "best", "last", a number of frames or a checkpoint's folder; default:
                                            // the best, or the last if none is marked as best, with a notice
    std::string env;                        // the name of an evaluation env; empty: the first
    std::optional<std::int64_t> episodes;   // default: the manifest's; to play: 1
    std::optional<std::int64_t> seed;       // default: the manifest's
    std::optional<std::string> actions;     // default: the manifest's
    std::vector<SearchFolder> plugins;
};

// Selects a checkpoint of the run; the default is as above. `done` describes the purpose: "scored".
Result<Checkpoint> chosen_checkpoint(const std::filesystem::path& run, const std::optional<std::string>& which,
                                     std::string_view done, const Notice& notice);

std::optional<Score> score_checkpoint(const ScoringRequest& request, const Notice& notice, Problems& problems);

// What shows the episodes that are played: it is told how large the pictures are, and then gets each picture in turn.
// An error from either ends the playing.
struct Screen {
    std::function<Status(const Lanes::Pictures&)> begin;
    std::function<Status(std::span<const std::uint8_t>)> show;
};

// Plays the same episodes as an evaluation that has a lane for each of them, one after the other, and shows them.
// Nothing, without a problem, if it was stopped.
std::optional<Score> play_checkpoint(const ScoringRequest& request, const Screen& screen, const Notice& notice,
                                     Problems& problems);

}  // namespace tenon
