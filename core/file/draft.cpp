// SPDX-License-Identifier: Apache-2.0
#include "file/draft.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "file/sync.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

Status sync_tree(const fs::path& folder) {
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->is_symlink()) {
            continue;
        }
        if (Status synced = sync_path(it->path()); !synced) {
            return synced;
        }
    }
    if (code) {
        return file_problem("sync", folder, code.value());
    }
    return sync_path(folder);
}

// Not every file system can exchange two names. The one that cannot has a moment without either, but never a half one.
int exchange(const fs::path& temporary, const fs::path& path) {
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    const fs::path aside = temporary_beside(path);
    if (::rename(path.c_str(), aside.c_str()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0 ||
        ::rename(aside.c_str(), temporary.c_str()) != 0) {
        return errno;
    }
    return 0;
}

// The process in ".NAME.tmp-PID-COUNT", 0 for other names.
pid_t owner_of(std::string_view name) {
    constexpr std::string_view kMark = ".tmp-";
    const std::size_t mark = name.rfind(kMark);
    if (name.empty() || name.front() != '.' || mark == std::string_view::npos) {
        return 0;
    }
    const std::string_view digits = name.substr(mark + kMark.size());
    pid_t pid = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    return read.ec == std::errc{} && read.ptr != digits.data() + digits.size() && *read.ptr == '-' ? pid : 0;
}

}  // namespace

FolderDraft::FolderDraft(fs::path path, fs::path temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

FolderDraft::FolderDraft(FolderDraft&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

FolderDraft::~FolderDraft() {
    if (!temporary_.empty()) {
        std::error_code ignored;  // a left-over is found by remove_stale_drafts later
        fs::remove_all(temporary_, ignored);
    }
}

Result<FolderDraft> FolderDraft::begin(const fs::path& path) {
    fs::path temporary = temporary_beside(path);
    std::error_code code;
    fs::create_directory(temporary, code);
    if (code) {
        return file_problem("make the folder", path, code.value());
    }
    return FolderDraft(path, std::move(temporary));
}

Status FolderDraft::commit() {
    if (Status synced = sync_tree(temporary_); !synced) {
        return synced;
    }
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

void remove_stale_drafts(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        const pid_t owner = owner_of(it->path().filename().string());
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) {
            std::error_code ignored;  // it is tried again next time
            fs::remove_all(it->path(), ignored);
        }
    }
}

}  // namespace tenon
