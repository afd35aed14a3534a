// SPDX-License-Identifier: Apache-2.0
// The checkpoints of one run: one folder per number of frames, and the links `last` and `best`. A checkpoint exists
// completely or not at all; after kill -9 or a power cut at least the previous one is intact. Only the process that
// holds the run's lock writes; anyone may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct Checkpoint {
    std::int64_t frames = 0;
    std::filesystem::path folder;
};

struct ListedCheckpoint {
    Checkpoint checkpoint;
    std::string damage;  // damage found by comparing the sizes of its files; empty: none
};

struct NewestCheckpoint {
    std::optional<Checkpoint> checkpoint;  // none: no checkpoint exists yet
    std::string notice;  // the newer damaged one, its damage, and the one used instead; empty: nothing is damaged
};

// A checkpoint with a file of this name is for scoring only: a run is not resumed from it, `last` does not point to it,
// and it is kept only among the best.
inline constexpr const char* kScoredOnly = "scored_only";

// Writes <directory>/<frames>/ with the files that `fill` creates in the given folder, replaces a checkpoint of the
// same frames, and points `last` to it. First removes what an interrupted write left.
Result<Checkpoint> write_checkpoint(const std::filesystem::path& directory, std::int64_t frames,
                                    const std::function<Status(const std::filesystem::path& folder)>& fill);

// Points `last` to an existing checkpoint.
Status mark_last(const std::filesystem::path& directory, std::int64_t frames);
// Points `best`, `best-2`, ... to checkpoints, best first; those that do not exist are left out. Other links of these
// names are removed, but `best` stays if there is none.
Status mark_best(const std::filesystem::path& directory, std::span<const std::int64_t> ranked);

// Removes checkpoints older than the newest `keep` undamaged ones, except those that `best`, `best-2`, ... point to. 0
// keeps all.
Status keep_newest(const std::filesystem::path& directory, std::size_t keep);

// Newest first. A missing directory has none.
std::vector<ListedCheckpoint> list_checkpoints(const std::filesystem::path& directory);

// The newest checkpoint with intact bytes that can be resumed. A problem only if there are some and all are damaged.
Result<NewestCheckpoint> newest_checkpoint(const std::filesystem::path& directory);

// which: "last" (the newest undamaged one), "best", "best-2" and so on, a number of frames, or the folder of any
// checkpoint. All bytes of the checkpoint are verified.
Result<Checkpoint> find_checkpoint(const std::filesystem::path& directory, std::string_view which);

// Whether `best` points to a checkpoint.
bool has_best(const std::filesystem::path& directory);

// Whether clean_checkpoints leaves a checkpoint: one that is there, or the draft of one that only lacks its name.
bool has_checkpoint(const std::filesystem::path& directory);

// Call it before a run resumes: recovers a checkpoint that was complete but not yet renamed, and removes other
// left-overs.
Status clean_checkpoints(const std::filesystem::path& directory);

}  // namespace tenon
