// SPDX-License-Identifier: Apache-2.0
// Groups of runs whose manifests are the same except for the seed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/history/run_info.hpp"

namespace tenon {

// Whether the results of a run may depend on the value of the key. The seed does not count; name, threads, and what is
// logged, filmed and saved change nothing.
bool is_setting(std::string_view key);

// The name of each run's group. Names of runs, threads, and what is logged and saved may differ within a group. Its
// runs may be of several tasks if each task has one env; otherwise envs distinguish groups, too.
std::vector<std::string> manifest_groups(const std::vector<const RunInfo*>& runs, const std::string& task_key);

}  // namespace tenon
