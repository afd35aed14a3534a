// SPDX-License-Identifier: Apache-2.0
// A folder that gets its name only when it is complete: a checkpoint, an exported model.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"

namespace tenon {

class FolderDraft {
public:
    // An empty folder with a temporary name next to `path`, whose parent must exist.
    static Result<FolderDraft> begin(const std::filesystem::path& path);

    FolderDraft(FolderDraft&& other) noexcept;
    FolderDraft& operator=(FolderDraft&&) = delete;
    ~FolderDraft();  // removes an uncommitted draft

    // The folder for the files until commit.
    [[nodiscard]] const std::filesystem::path& folder() const { return temporary_; }

    // Syncs every file and folder in it and renames it. An existing folder of that name is exchanged atomically and
    // removed.
    Status commit();

private:
    FolderDraft(std::filesystem::path path, std::filesystem::path temporary);

    std::filesystem::path path_;
    std::filesystem::path temporary_;  // empty: nothing to remove
};

// Removes the drafts in `folder`. The caller must hold a lock that excludes writers: the process ids in their names say
// nothing, because processes have namespaces and ids are reused.
void remove_drafts(const std::filesystem::path& folder);

}  // namespace tenon
