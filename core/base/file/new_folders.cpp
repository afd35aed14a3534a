// SPDX-License-Identifier: Apache-2.0
#include "base/file/new_folders.hpp"

#include <system_error>

namespace tenon {

NewFolders::NewFolders(const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::path at = std::filesystem::absolute(path, code).parent_path();
    for (; at.has_relative_path() && !std::filesystem::exists(at, code); at = at.parent_path()) {
        missing_.push_back(at);
    }
}

NewFolders::~NewFolders() {
    std::error_code ignored;  // one that is not empty stays
    for (const std::filesystem::path& folder : missing_) {
        std::filesystem::remove(folder, ignored);
    }
}

}  // namespace tenon
