// SPDX-License-Identifier: Apache-2.0
// The lock of a run folder: only one process writes to a run. The system releases the lock when the process ends.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"

namespace tenon {

// Locks <folder>/lock, creating it if necessary, until the descriptor is closed. The problem names the process that
// holds it.
Result<FileDescriptor> lock_run(const std::filesystem::path& folder);

}  // namespace tenon
