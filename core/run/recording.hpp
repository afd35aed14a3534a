// SPDX-License-Identifier: Apache-2.0
// Frames for others to learn from: a policy is played and what it does is written to a file that buffer.init takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/problem.hpp"
#include "plugin/search_path.hpp"
#include "run/notice.hpp"
#include "train/score.hpp"

namespace tenon {

enum class Actions {
    kSample,  // as the run itself acts, exploration included
    kMode,    // what the policy holds best
    kMean,    // the mean of its distribution
    kRandom,  // drawn from the action's spec, as before train.start_frames
};

// "sample", "mode", "mean", "random".
std::optional<Actions> actions_named(std::string_view word);

struct RecordingRequest {
    std::filesystem::path source;           // a run's folder, or a manifest, whose policy is taken as it begins
    std::optional<std::string> checkpoint;  // of the run, as in ScoringRequest
    Actions actions = Actions::kSample;
    std::int64_t frames = 0;
    std::optional<std::int64_t> seed;  // else the manifest's
    std::filesystem::path out;         // the file, replaced where there is one
    std::vector<SearchFolder> plugins;
};

struct Recording {
    std::uint64_t frames = 0;
    Score episodes;  // those that have ended
};

std::optional<Recording> record_frames(const RecordingRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
