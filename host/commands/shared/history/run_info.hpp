// SPDX-License-Identifier: Apache-2.0
// The values of a run's manifest as flat text, for tables and comparisons.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

using ManifestValues = std::map<std::string, std::string>;

struct RunInfo {
    std::filesystem::path folder;
    ManifestValues values;        // "train.minibatch" -> "64", "env.plugin" -> "\"classic/CartPole-v1\"", as in TOML
    bool counts_updates = false;  // its length and positions are updates instead of frames
    std::int64_t length = 0;      // of the whole run
};

// Refuses a folder that contains no run, or one of a later version.
Result<RunInfo> read_run_info(const std::filesystem::path& folder);

// The metric that says how far a run is at a record: "frames", or "train/n_updates".
std::string_view position_metric(const RunInfo& run);

// The value of a key without the quotes of a string; empty if the manifest has no such key.
std::string plain_value(const ManifestValues& values, std::string_view key);

// The keys whose values differ between the runs, or that some do not have, in order of their names.
std::vector<std::string> differing_keys(std::span<const RunInfo> runs);

}  // namespace tenon
