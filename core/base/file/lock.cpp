// SPDX-License-Identifier: Apache-2.0
#include "base/file/lock.hpp"

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

#include "base/file/sync.hpp"

namespace tenon {
namespace {

// Another process that only asks whether a file is locked holds its lock for some microseconds.
constexpr int kTries = 10;

// " (process 1234)" if the holder has already written it.
std::string holder(int file) {
    std::array<char, 24> text{};
    const ssize_t got = ::pread(file, text.data(), text.size(), 0);
    const std::string digits(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t end = digits.find('\n');
    return end == std::string::npos || end == 0 ? "" : " (process " + digits.substr(0, end) + ")";
}

// The holder may have removed the file between open and flock: the lock then has no effect.
bool still_exists(int file, const std::filesystem::path& path) {
    struct stat held{};
    struct stat named{};
    return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

Result<PrivateDescriptor> lock(const std::filesystem::path& path, std::string_view taken, int opening, int locking) {
    int tries = 0;
    for (;;) {
        PrivateDescriptor file(::open(path.c_str(), opening | O_CLOEXEC, 0666));
        if (file.get() < 0) {
            return file_problem("open", path, errno);
        }
        if (::flock(file.get(), locking | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK && tries++ < kTries) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                continue;
            }
            if (errno == EWOULDBLOCK) {
                return input_problem(std::string(taken) + holder(file.get()));
            }
            return file_problem("lock", path, errno);
        }
        if (still_exists(file.get(), path)) {
            return file;
        }
    }
}

}  // namespace

Result<PrivateDescriptor> lock_alone(const std::filesystem::path& path, std::string_view taken) {
    Result<PrivateDescriptor> file = lock(path, taken, O_RDWR | O_CREAT, LOCK_EX);
    const std::string text = std::to_string(::getpid()) + "\n";
    if (file && (::ftruncate(file->get(), 0) != 0 ||
                 ::pwrite(file->get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))) {
        return file_problem("write", path, errno);
    }
    return file;
}

Result<PrivateDescriptor> lock_to_read(const std::filesystem::path& path, std::string_view taken) {
    return lock(path, taken, O_RDONLY, LOCK_SH);
}

}  // namespace tenon
