// SPDX-License-Identifier: Apache-2.0
// Short names of folders, for tables and legends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tenon {

// The shortest ends of the paths that differ: "dqn" and "ppo", or "a/dqn" and "b/dqn".
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& folders);

}  // namespace tenon
