// SPDX-License-Identifier: Apache-2.0
// The runs in a folder, for a person who named the folder of several where one is wanted.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

// The first of the runs at most `depth` folders below this one, and how many more there are: "runs/ppo/0 and 4 more".
// Empty: there is none.
std::string runs_in(const std::filesystem::path& folder, int depth);

}  // namespace tenon
