// SPDX-License-Identifier: Apache-2.0
// complete.json, the last file written into a checkpoint: what files there are, their sizes and hashes. A folder
// without it or with other files than it says is no checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>

#include "error/result.hpp"

namespace tenon {

enum class Check {
    kSizes,  // quick: every file is there with its size
    kBytes,  // every file has its hash too
};

// Describes the files in `folder`, which holds nothing but regular files.
Status write_complete(const std::filesystem::path& folder, std::int64_t frames);

// The frames that the checkpoint in a folder of any name says it was written at.
Result<std::int64_t> frames_in(const std::filesystem::path& folder);

// What is wrong with the checkpoint, with the file's name.
Status check_complete(const std::filesystem::path& folder, std::int64_t frames, Check check);

}  // namespace tenon
