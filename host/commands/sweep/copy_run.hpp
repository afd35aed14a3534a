// SPDX-License-Identifier: Apache-2.0
// A run folder as the beginning of another run.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"

namespace tenon {

// Copies a run that no process is writing, complete or not at all; does nothing if `to` exists. Checkpoints never
// change, so that their files are shared where the file system can do so.
Status copy_run(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tenon
