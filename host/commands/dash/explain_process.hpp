// SPDX-License-Identifier: Apache-2.0
// The wiring of a run, as `tenon explain --json` prints it. Another process loads the plugins: they may be of another
// build, or end the process.
#pragma once

#include <filesystem>
#include <string>

namespace tenon {

// What it prints, or an object with `problem`, why it does not.
std::string explained_by_process(const std::filesystem::path& program, const std::filesystem::path& run);

}  // namespace tenon
