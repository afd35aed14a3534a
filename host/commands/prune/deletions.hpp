// SPDX-License-Identifier: Apache-2.0
// The files of checkpoints that a plan can name, and their removal. For functions that write, the caller holds the
// run's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/error/result.hpp"

namespace tenon::host {

struct Deletions {
    std::vector<std::int64_t> checkpoints;  // the oldest first
    std::vector<std::int64_t> buffers;
    std::uint64_t bytes = 0;
};

// What can be deleted in a folder of checkpoints: all but the newest `keep` undamaged ones and the best ones; with
// `buffers` also the frames of the buffers of the kept ones.
Deletions deletions_in(const std::filesystem::path& directory, std::size_t keep, bool buffers);

// Rewrites the checkpoint without the frames of its buffer. Unless it is the newest, no run can resume from it any
// more.
Status delete_buffer(const std::filesystem::path& directory, std::int64_t frames, bool newest);

}  // namespace tenon::host
