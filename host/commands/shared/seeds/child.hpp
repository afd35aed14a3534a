// SPDX-License-Identifier: Apache-2.0
// A process of this program that makes one run of several.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// Starts the program; its output is appended to `log`. It may use only these processors; none given: all. It has its
// own process group, so that Ctrl-C reaches only the launcher. If the launcher dies, it gets SIGTERM, unless it is
// srun, and writes a checkpoint. `input`: its standard input; -1: that of the launcher.
Result<pid_t> start_child(const std::filesystem::path& program, std::vector<std::string> words,
                          const std::filesystem::path& log, const std::vector<int>& processors, int input = -1);

// The processors of this process in `jobs` equal shares; empty shares if there are more jobs than processors.
std::vector<std::vector<int>> share_processors(std::size_t jobs);

}  // namespace tenon
