// SPDX-License-Identifier: Apache-2.0
// The lock of a run folder: only one process writes to a run. The system releases the lock when the process ends.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"

namespace tenon {

// Locks <folder>/lock, creating it if necessary, until the descriptor is closed. The problem names the process that
// holds it.
Result<PrivateDescriptor> lock_run(const std::filesystem::path& folder);

// Empties the lock's file before the lock is released, which marks that the process ended as intended.
void mark_released(const PrivateDescriptor& lock);

// Whether the last process that locked it has called mark_released; false also if none has ever locked it.
bool was_released(const std::filesystem::path& folder);

enum class LockState : std::uint8_t {
    kHeld,      // no process writes the run, and the last one ended as intended
    kReleased,  // no process writes the run, and the last one failed or was killed
    kLeft,      // none is, and the last one failed or was killed
};

// The state of the lock. Asking does not disturb the run.
LockState lock_state(const std::filesystem::path& folder);

}  // namespace tenon
