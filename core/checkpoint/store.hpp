// SPDX-License-Identifier: Apache-2.0
// The checkpoints of one run: a folder per number of frames, and the links `last` and `best`. A checkpoint is there as
// a whole or not at all; kill -9 and power cuts leave at least the one before. Only the process that holds the run's
// lock writes; anyone may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.hpp"

namespace tenon {

struct Checkpoint {
    std::int64_t frames = 0;
    std::filesystem::path folder;
};

struct ListedCheckpoint {
    Checkpoint checkpoint;
    std::string damage;  // what a look at the sizes of its files found wrong; empty: nothing
};

struct NewestCheckpoint {
    std::optional<Checkpoint> checkpoint;  // none: there is none yet
    std::string notice;  // which newer one is damaged, where, and what is taken instead; empty: nothing is
};

// Writes <directory>/<frames>/ with the files that `fill` puts into the folder it is given, replaces a checkpoint of
// the same frames, and points `last` to it. What an interrupted write left is removed first.
Result<Checkpoint> write_checkpoint(const std::filesystem::path& directory, std::int64_t frames,
                                    const std::function<Status(const std::filesystem::path& folder)>& fill);

// Point `last` and `best` to a checkpoint that is there.
Status mark_last(const std::filesystem::path& directory, std::int64_t frames);
Status mark_best(const std::filesystem::path& directory, std::int64_t frames);

// Removes what is older than the newest `keep` undamaged ones, but not what `best` points to. 0 keeps all.
Status keep_newest(const std::filesystem::path& directory, std::size_t keep);

// Newest first. A directory that is missing has none.
std::vector<ListedCheckpoint> list_checkpoints(const std::filesystem::path& directory);

// The newest whose every byte is as it was written. A problem only if there are some and all are damaged.
Result<NewestCheckpoint> newest_checkpoint(const std::filesystem::path& directory);

// "last" (the newest undamaged one), "best", a number of frames, or the folder of a checkpoint anywhere, checked to the
// last byte.
Result<Checkpoint> find_checkpoint(const std::filesystem::path& directory, std::string_view which);

// Whether `best` points to a checkpoint.
bool has_best(const std::filesystem::path& directory);

// Before a run goes on: takes up a checkpoint that was complete but did not have its name yet, removes other
// left-overs.
Status clean_checkpoints(const std::filesystem::path& directory);

}  // namespace tenon
