// SPDX-License-Identifier: Apache-2.0
// A folder that appears under its name only when it is complete: a checkpoint, an exported model.
#pragma once

#include <filesystem>

#include "error/result.hpp"

namespace tenon {

class FolderDraft {
public:
    // An empty folder with a temporary name beside `path`, whose parent must exist.
    static Result<FolderDraft> begin(const std::filesystem::path& path);

    FolderDraft(FolderDraft&& other) noexcept;
    FolderDraft& operator=(FolderDraft&&) = delete;
    ~FolderDraft();  // removes what was not committed

    // Where to write the files until commit.
    [[nodiscard]] const std::filesystem::path& folder() const { return temporary_; }

    // Syncs every file and folder in it and gives it its name. A folder of that name is exchanged in one step and
    // removed.
    Status commit();

private:
    FolderDraft(std::filesystem::path path, std::filesystem::path temporary);

    std::filesystem::path path_;
    std::filesystem::path temporary_;  // empty: nothing left to remove
};

// Removes the drafts in `folder`. Whoever calls it has made sure, by a lock, that nobody is writing one: the numbers of
// processes in their names say nothing where processes have namespaces of their own or numbers come again.
void remove_drafts(const std::filesystem::path& folder);

}  // namespace tenon
