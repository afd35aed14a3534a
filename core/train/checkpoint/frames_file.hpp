// SPDX-License-Identifier: Apache-2.0
// Frames in a file that other tools can read and write: a storage as safetensors. A checkpoint's buffer and the output
// of `tenon record` are such files, and buffer.init reads both.
//
// KEY          [slots, lanes, row...]: every column of the storage, including the flags, the oldest slot first. The
//              last slot holds the newest observation; no transition starts there.
// KEY/final    [episodes, row...]: the final observations, one row for each `terminated` or `truncated` that is set
//              before the last slot, in their order.
// lanes/count  [lanes]: the number of transitions of a lane, the newest just before the last slot.
// lanes/parked [lanes]: whether a lane is parked.
//
// Columns that Backing::packs are in a file of their own.
//
// Metadata: "format", "role.KEY"; the position of the ring buffer: "slots", "head", "appended"; and further information
// of the writer ("spec.KEY": the permitted values of a column, in words; "specs": all of them, in JSON). The position,
// lanes/* and is_init may be missing: every slot then holds a transition of every lane, in a ring buffer that has just
// been filled.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"
#include "experience/replay/storage.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {

// The file of a checkpoint's buffer, if it has one.
std::filesystem::path buffer_of(const std::filesystem::path& checkpoint);

// Not atomic, like write_safetensors.
Status write_frames(const Storage& storage, const std::filesystem::path& file, TensorMetadata about = {});

// The metadata under "spec." and "specs" for these columns.
TensorMetadata specs_in_words(const Composite& specs);

struct SavedFrames {
    Storage storage;
    TensorMetadata about;
};
Result<SavedFrames> read_frames(const std::filesystem::path& file);

// Restores a storage with the same columns, slots and lanes, byte for byte; on failure it is empty.
Status restore_frames(Storage& storage, const std::filesystem::path& file);

}  // namespace tenon
