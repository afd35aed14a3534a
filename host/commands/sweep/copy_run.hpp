// SPDX-License-Identifier: Apache-2.0
// Copies a run folder, as the beginning of another run.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"

namespace tenon {

// Copies a run that no process is writing, completely or not at all; does nothing if `to` exists. Checkpoints never
// change, so the file system shares their files if it can.
Status copy_run(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tenon
