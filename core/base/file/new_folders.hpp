// SPDX-License-Identifier: Apache-2.0
// Folders that are made for a file which is then not written should not be left behind.
#pragma once

#include <filesystem>
#include <vector>

namespace tenon {

// Remembers which of the folders above a path do not exist yet. Its destructor removes those that exist by then and are
// empty.
class NewFolders {
public:
    explicit NewFolders(const std::filesystem::path& path);
    NewFolders(const NewFolders&) = delete;
    NewFolders& operator=(const NewFolders&) = delete;
    ~NewFolders();

private:
    std::vector<std::filesystem::path> missing_;  // the innermost first
};

}  // namespace tenon
