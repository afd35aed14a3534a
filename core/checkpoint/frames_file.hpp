// SPDX-License-Identifier: Apache-2.0
// Frames in a file that other tools read and write: a storage as safetensors. A checkpoint's buffer and what `tenon
// record` writes are such files, and buffer.init reads both.
//
// KEY          [slots, lanes, row...]: every column of the storage, the flags among them, the oldest slot first. The
//              last slot is the newest observation's; no transition starts there.
// KEY/final    [episodes, row...]: of an observation, what each episode ended with: one row for each `terminated` or
//              `truncated` that is set before the last slot, in their order.
// lanes/count  [lanes]: how many transitions a lane has, the newest just before the last slot.
// lanes/parked [lanes]: whether a lane was given up.
//
// Metadata: "format", "role.KEY"; where the ring stood: "slots", "head", "appended"; and whatever the writer knows
// about the frames ("spec.KEY": what a column may hold, in words). The ring's place, lanes/* and is_init may be
// missing: every slot then holds a transition of every lane, in a ring that has just been filled.
#pragma once

#include <filesystem>

#include "checkpoint/safetensors.hpp"
#include "error/result.hpp"
#include "replay/storage.hpp"

namespace tenon {

// Not atomic by itself, as write_safetensors.
Status write_frames(const Storage& storage, const std::filesystem::path& file, TensorMetadata about = {});

// What is added under "spec.": the columns that are described there.
TensorMetadata specs_in_words(const Composite& specs);

struct SavedFrames {
    Storage storage;
    TensorMetadata about;
};
Result<SavedFrames> read_frames(const std::filesystem::path& file);

// Restores a storage of the same columns, slots and lanes to the byte; on failure it is empty.
Status restore_frames(Storage& storage, const std::filesystem::path& file);

}  // namespace tenon
