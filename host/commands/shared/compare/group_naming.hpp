// SPDX-License-Identifier: Apache-2.0
// The groups of runs that are compared, and short names for them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "shared/compare/comparison.hpp"
#include "shared/history/run_info.hpp"

namespace tenon {

struct FoundRun {
    RunRecord record;
    std::size_t folder = 0;  // of the request's
    bool given = false;      // the folder is this run
};

// The name of the group of each run. With a key of the manifest to group by: its value. Otherwise, a folder with runs
// below it is a group. Runs that are given themselves, and those below the only folder, are grouped by their manifests:
// those that differ in nothing but seed and files are a group.
std::vector<std::string> group_names(const CompareRequest& request, const std::vector<FoundRun>& runs);

// Whether the results of a run may depend on the value of the key. The seed does not count; name, threads, workers and
// their machines, and what is logged, filmed and saved change nothing.
bool is_setting(std::string_view key);

// The same for groups of runs whose manifests are the same except for the seed. Values that are no
// settings may differ within a group. Its runs may be of several tasks if each task has one env; otherwise envs
// distinguish groups, too.
std::vector<std::string> manifest_groups(const std::vector<const RunInfo*>& runs, const std::string& task_key);

// Values of manifests in names of groups. Fractions have four digits, or as many as keep different values different:
// "0.001401" for "0.0014008370581921155". All other values stay as they are.
std::vector<std::string> short_values(const std::vector<std::string>& values);

// Short names of folders, for tables and legends: the shortest ends of the paths that differ: "dqn" and "ppo", or
// "a/dqn" and "b/dqn".
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& folders);

}  // namespace tenon
