// SPDX-License-Identifier: Apache-2.0
// The wiring of a run, as `tenon explain --json` prints it. A separate process loads the plugins, because they may
// belong to another build, or end the process.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

// The output of the process, or an object with `problem`, which says why there is none.
std::string explained_by_process(const std::filesystem::path& program, const std::filesystem::path& run);

}  // namespace tenon
