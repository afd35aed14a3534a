// SPDX-License-Identifier: Apache-2.0
// complete.json, the last file written to a checkpoint, lists its files with sizes and hashes. A folder without it, or
// whose files differ from it, is not a checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error/result.hpp"

namespace tenon {

enum class Check {
    kSizes,  // quick: every file exists with its size
    kBytes,  // additionally, every file has its hash
};

// Describes the files in `folder`, which must contain only regular files.
Status write_complete(const std::filesystem::path& folder, std::int64_t frames);

// The number of frames recorded in the checkpoint, whatever the name of its folder.
Result<std::int64_t> frames_in(const std::filesystem::path& folder);

// Reports damage to the checkpoint, with the file's name.
Status check_complete(const std::filesystem::path& folder, std::int64_t frames, Check check);

}  // namespace tenon
