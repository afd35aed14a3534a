// SPDX-License-Identifier: Apache-2.0
#include "run/records/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

namespace tenon {
namespace {

// lock_state holds the lock for some microseconds.
constexpr int kTries = 10;

// " (process 1234)" if the holder has already written it.
std::string holder(int file) {
    std::array<char, 24> text{};
    const ssize_t got = ::pread(file, text.data(), text.size(), 0);
    const std::string digits(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t end = digits.find('\n');
    return end == std::string::npos ? "" : " (process " + digits.substr(0, end) + ")";
}

// The holder may have removed the file between open and flock: the lock then has no effect.
bool is_still_there(int file, const std::filesystem::path& path) {
    struct stat held{};
    struct stat named{};
    return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

}  // namespace

Result<FileDescriptor> lock_run(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "lock";
    int tries = 0;
    for (;;) {
        FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (file.get() < 0) {
            return file_problem("open", path, errno);
        }
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK && tries++ < kTries) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                continue;
            }
            if (errno == EWOULDBLOCK) {
                return input_problem("another process is writing the run in " + folder.string() + holder(file.get()));
            }
            return file_problem("lock", path, errno);
        }
        if (!is_still_there(file.get(), path)) {
            continue;
        }
        const std::string text = std::to_string(::getpid()) + "\n";
        if (::ftruncate(file.get(), 0) != 0 ||
            ::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
            return file_problem("write", path, errno);
        }
        return file;
    }
}

void mark_released(const FileDescriptor& lock) {
    static_cast<void>(::ftruncate(lock.get(), 0));  // at worst the run looks as if its process had died
}

LockState lock_state(const std::filesystem::path& folder) {
    const FileDescriptor file(::open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info{};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
        return LockState::kReleased;  // copied without it
    }
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return LockState::kHeld;
    }
    return info.st_size == 0 ? LockState::kReleased : LockState::kLeft;
}

}  // namespace tenon
