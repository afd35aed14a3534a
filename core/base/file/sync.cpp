// SPDX-License-Identifier: Apache-2.0
#include "base/file/sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

namespace tenon {

FileDescriptor::~FileDescriptor() {
    if (number_ >= 0) {
        ::close(number_);
    }
}

int FileDescriptor::release() {
    const int number = number_;
    number_ = -1;
    return number;
}

Problem file_problem(std::string_view action, const std::filesystem::path& path, int error) {
    return environment_problem("cannot " + std::string(action) + " " + path.string() + ": " +
                               std::generic_category().message(error));
}

namespace {

// Returns 0, or the error.
int write_bytes(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(file, bytes.data(), bytes.size());
        if (wrote > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(wrote));
        } else if (wrote == 0 || errno != EINTR) {
            return wrote == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

Status write_all(const std::filesystem::path& path, std::string_view bytes, bool sync) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return file_problem("write", path, errno);
    }
    if (const int error = write_bytes(file.get(), bytes); error != 0) {
        return file_problem("write", path, error);
    }
    // Some file systems report a full disk only here.
    if ((sync && ::fsync(file.get()) != 0) || ::close(file.release()) != 0) {
        return file_problem("write", path, errno);
    }
    return {};
}

}  // namespace

Status write_and_sync(const std::filesystem::path& path, std::string_view bytes) {
    return write_all(path, bytes, true);
}

Status write_unsynced(const std::filesystem::path& path, std::string_view bytes) {
    return write_all(path, bytes, false);
}

Status append_whole(const FileDescriptor& file, const std::filesystem::path& path, std::uint64_t length,
                    std::string_view bytes) {
    if (const int error = write_bytes(file.get(), bytes); error != 0) {
        static_cast<void>(::ftruncate(file.get(), static_cast<off_t>(length)));  // the first problem is reported
        return file_problem("write", path, error);
    }
    return {};
}

Status sync_path(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || ::fsync(file.get()) != 0) {
        return file_problem("sync", path, errno);
    }
    return {};
}

std::filesystem::path temporary_in_same_folder(const std::filesystem::path& path) {
    static std::atomic<unsigned> count{0};
    const std::string tail = std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
    return folder_of(path) / ("." + path.filename().string() + ".tmp-" + tail);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace tenon
