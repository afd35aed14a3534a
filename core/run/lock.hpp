// SPDX-License-Identifier: Apache-2.0
// The lock of a run folder: one process writes a run, whatever becomes of it the system takes the lock back.
#pragma once

#include <filesystem>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

// Locks <folder>/lock, which is made if it is not there, until the descriptor is closed. The problem names the process
// that holds it.
Result<FileDescriptor> lock_run(const std::filesystem::path& folder);

}  // namespace tenon
