// SPDX-License-Identifier: Apache-2.0
#include "base/file/draft.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/sync.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

Status sync_tree(const fs::path& folder) {
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->is_symlink()) {
            continue;
        }
        TENON_TRY(sync_path(it->path()));
    }
    if (code) {
        return file_problem("sync", folder, code.value());
    }
    return sync_path(folder);
}

// Not every file system can exchange two names. Otherwise there is a moment without either, but never with a partial
// one.
int exchange(const fs::path& temporary, const fs::path& path) {
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    const fs::path aside = temporary_in_same_folder(path);
    if (::rename(path.c_str(), aside.c_str()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0 ||
        ::rename(aside.c_str(), temporary.c_str()) != 0) {
        return errno;
    }
    return 0;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// ".NAME.tmp-PID-COUNT", the form of temporary_in_same_folder.
bool is_draft(std::string_view name) {
    constexpr std::string_view kMark = ".tmp-";
    const std::size_t mark = name.rfind(kMark);
    if (!name.starts_with('.') || mark == std::string_view::npos || mark == 0) {
        return false;
    }
    const std::string_view tail = name.substr(mark + kMark.size());
    const std::size_t dash = tail.find('-');
    return dash != std::string_view::npos && is_number(tail.substr(0, dash)) && is_number(tail.substr(dash + 1));
}

}  // namespace

FolderDraft::FolderDraft(fs::path path, fs::path temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

FolderDraft::FolderDraft(FolderDraft&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

FolderDraft::~FolderDraft() {
    if (!temporary_.empty()) {
        std::error_code ignored;  // remove_drafts finds left-overs later
        fs::remove_all(temporary_, ignored);
    }
}

Result<FolderDraft> FolderDraft::begin(const fs::path& path) {
    // Process ids are reused: an existing folder belongs to another process and has its files.
    for (;;) {
        fs::path temporary = temporary_in_same_folder(path);
        std::error_code code;
        if (fs::create_directory(temporary, code)) {
            return FolderDraft(path, std::move(temporary));
        }
        if (code && code != std::errc::file_exists) {
            return file_problem("create the folder", path, code.value());
        }
    }
}

Status FolderDraft::commit() {
    TENON_TRY(sync_tree(temporary_));
    std::error_code code;
    const bool replaces = fs::exists(fs::symlink_status(path_, code));
    const int error = replaces                                           ? exchange(temporary_, path_)
                      : ::rename(temporary_.c_str(), path_.c_str()) == 0 ? 0
                                                                         : errno;
    if (error != 0) {
        return file_problem("write", path_, error);
    }
    if (replaces) {
        fs::remove_all(temporary_, code);
    }
    temporary_.clear();
    return sync_path(folder_of(path_));
}

void remove_drafts(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (is_draft(it->path().filename().string())) {
            std::error_code ignored;  // tried again next time
            fs::remove_all(it->path(), ignored);
        }
    }
}

}  // namespace tenon
