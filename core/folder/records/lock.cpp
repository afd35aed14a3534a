// SPDX-License-Identifier: Apache-2.0
#include "folder/records/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file/lock.hpp"
#include "base/file/sync.hpp"

namespace tenon {

Result<PrivateDescriptor> lock_run(const std::filesystem::path& folder) {
    return lock_alone(folder / "lock", "another process is writing the run in " + folder.string());
}

void mark_released(const PrivateDescriptor& lock) {
    static_cast<void>(::ftruncate(lock.get(), 0));  // at worst the run looks as if its process had died
}

bool was_released(const std::filesystem::path& folder) {
    struct stat info{};
    return ::stat((folder / "lock").c_str(), &info) == 0 && info.st_size == 0;
}

LockState lock_state(const std::filesystem::path& folder) {
    const FileDescriptor file(::open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info{};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
        return LockState::kReleased;  // a copied folder may lack the lock
    }
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return LockState::kHeld;
    }
    return info.st_size == 0 ? LockState::kReleased : LockState::kLeft;
}

}  // namespace tenon
