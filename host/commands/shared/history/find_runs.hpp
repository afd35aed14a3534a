// SPDX-License-Identifier: Apache-2.0
// The runs that a person means by a path: the folder of a run, or a folder with runs below it.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// `path` itself if it contains a run; otherwise the runs at most `depth` folders below it, in natural order. Hidden
// folders, links to folders and the inside of runs are left out. A path without runs is a problem.
Result<std::vector<std::filesystem::path>> find_runs(const std::filesystem::path& path, int depth = 3);

// Removes files if there are folders, too: the shell's "runs/ppo/*" also names the logs next to the runs of several
// seeds.
std::vector<std::filesystem::path> without_files(std::vector<std::filesystem::path> paths);

// The runs of all paths, each once, in the order of the paths. Files among folders are left out.
Result<std::vector<std::filesystem::path>> find_runs(const std::vector<std::filesystem::path>& paths, int depth = 3);

}  // namespace tenon
