// SPDX-License-Identifier: Apache-2.0
// The part of a checkpoint for a buffer whose frames are in files of their own: its position, the sum of the checksums
// of its steps, and the rows of the newest two, which the run may have changed since. The frames themselves stay in the
// buffer's folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The file of a checkpoint.
inline constexpr const char* kRingFile = "ring.bin";

// Not atomic. Requires that every step before the head is marked. From now on the storage keeps the steps
// that are needed to go back to this position.
Status write_ring(Storage& storage, const std::filesystem::path& file);

// Goes back to that position. Returns the number of its oldest steps that are gone (Storage::go_back); 0: the storage
// is as it was, byte for byte.
Result<std::uint64_t> restore_ring(Storage& storage, const std::filesystem::path& file);

}  // namespace tenon
