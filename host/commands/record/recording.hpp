// SPDX-License-Identifier: Apache-2.0
// Records frames for other runs to learn from: plays a policy and writes a file that buffer.init can read, or a
// dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/notice.hpp"
#include "train/collect/score.hpp"

namespace tenon {

enum class Actions {
    kSample,  // as in the run, including exploration
    kMode,    // the policy's best actions
    kMean,    // the mean of its distribution
    kRandom,  // random actions from the action's spec, as before train.start_frames
};

// "sample", "mode", "mean", "random".
std::optional<Actions> actions_named(std::string_view word);

struct RecordingRequest {
    std::filesystem::path source;           // a run's folder, or a manifest, whose policy has its initial weights
    std::optional<std::string> checkpoint;  // of the run, as in ScoringRequest
    Actions actions = Actions::kSample;
    std::int64_t frames = 0;
    std::optional<std::int64_t> seed;  // default: the manifest's
    std::filesystem::path out;         // the output file; replaces an existing one
    std::string format = "frames";     // or a dataset's, such as "minari": then nothing may be at `out`
    std::vector<SearchFolder> plugins;
};

struct Recording {
    std::uint64_t frames = 0;
    Score episodes;                          // finished episodes
    std::vector<std::string> left_out = {};  // sentences: what the format does not hold
    std::string pieces = {};                 // a sentence, if the dataset has pieces of episodes
};

std::optional<Recording> record_frames(const RecordingRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
