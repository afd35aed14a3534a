// SPDX-License-Identifier: Apache-2.0
// A run with one of its checkpoints: scoring, playing, exporting and driving its policy begin with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/notice.hpp"
#include "run/start/setup.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {

struct RunRequest {
    std::filesystem::path folder;           // of the run
    std::optional<std::string> checkpoint;  // "best", "last", a number of frames or a checkpoint's folder; default:
                                            // the best, or the last if none is marked as best, with a notice
    std::vector<SearchFolder> plugins;
    std::vector<Override> overrides = {};  // of its manifest
};

// Selects a checkpoint of the run; the default is as above. `done` describes the purpose: "scored".
Result<Checkpoint> chosen_checkpoint(const std::filesystem::path& run, const std::optional<std::string>& which,
                                     std::string_view done, const Notice& notice);

// A notice that names the plugin files which have changed since the run began.
void warn_of_changed_plugins(const Wiring& wiring, const std::filesystem::path& run, const Notice& notice);

struct OpenedRun {
    Checkpoint checkpoint;
    Setup setup;  // without weights
};

// `done` as above. Adds every problem and then returns nothing. Warns of changed plugins.
std::optional<OpenedRun> open_run(const RunRequest& request, std::string_view done, const Notice& notice,
                                  Problems& problems);

// The networks of the run with the weights of the checkpoint in this folder.
Result<Learner> learner_at(const Wiring& wiring, const std::filesystem::path& checkpoint);

}  // namespace tenon
