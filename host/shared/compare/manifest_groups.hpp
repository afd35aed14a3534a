// SPDX-License-Identifier: Apache-2.0
// Groups of runs whose manifests say the same but for the seed.
#pragma once

#include <string>
#include <vector>

#include "folder/history/run_info.hpp"

namespace tenon {

// The name of each run's group. Names of runs, threads, and what is logged and saved may differ within a group. Its
// runs may be of several tasks if each task has one env; otherwise envs tell groups apart, too.
std::vector<std::string> manifest_groups(const std::vector<const RunInfo*>& runs, const std::string& task_key);

}  // namespace tenon
