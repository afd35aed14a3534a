// SPDX-License-Identifier: Apache-2.0
// The bytes of a storage's file, and a storage from such bytes.
#pragma once

#include <filesystem>
#include <string>

#include "support/scratch_folder.hpp"
#include "train/checkpoint/frames_file.hpp"

namespace tenon::test {

inline std::string saved(const Storage& storage) {
    const ScratchFolder folder;
    REQUIRE(write_frames(storage, folder / "frames"));
    return slurp(folder / "frames");
}

inline Status load(Storage& storage, const std::string& bytes) {
    const ScratchFolder folder;
    spill(folder / "frames", bytes);
    return restore_frames(storage, folder / "frames");
}

inline Result<Storage> loaded(const std::string& bytes) {
    const ScratchFolder folder;
    spill(folder / "frames", bytes);
    Result<SavedFrames> frames = read_frames(folder / "frames");
    return frames ? Result<Storage>(std::move(frames->storage)) : Result<Storage>(frames.error());
}

}  // namespace tenon::test
