// SPDX-License-Identifier: Apache-2.0
// Names the runs in a folder, for messages to a person who gave the folder of several runs instead of one run's.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

// The first of the runs at most `depth` folders below this one, and how many more there are: "runs/ppo/0 and 4 more".
// Empty: there are none.
std::string runs_in(const std::filesystem::path& folder, int depth);

}  // namespace tenon
