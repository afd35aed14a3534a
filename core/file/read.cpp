// SPDX-License-Identifier: Apache-2.0
#include "file/read.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace tenon {
namespace {

Problem open_problem(const std::filesystem::path& path, int error) {
    if (error == ENOENT || error == ENOTDIR) {
        return input_problem("there is no file " + path.string());
    }
    if (error == EACCES || error == EPERM || error == ENAMETOOLONG || error == ELOOP) {
        return input_problem("cannot open " + path.string() + ": " + std::generic_category().message(error));
    }
    return file_problem("open", path, error);
}

}  // namespace

Result<FileDescriptor> open_to_read(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return open_problem(path, errno);
    }
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) {
        return file_problem("read", path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return input_problem(path.string() + " is a folder, not a file");
    }
    return Result<FileDescriptor>(std::move(file));
}

Result<std::string> read_file(const std::filesystem::path& path) {
    const Result<FileDescriptor> file = open_to_read(path);
    if (!file) {
        return file.error();
    }
    struct stat info{};
    ::fstat(file->get(), &info);
    // The size is a hint only: pipes and files under /proc say 0. One byte more sees the end without growing.
    std::string bytes(static_cast<std::size_t>(info.st_size) + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size()) {
            bytes.resize(bytes.size() * 2 + 4096);
        }
        const ssize_t got = ::read(file->get(), bytes.data() + used, bytes.size() - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return file_problem("read", path, errno);
        }
        if (got == 0) {
            break;
        }
        used += static_cast<std::size_t>(got);
    }
    bytes.resize(used);
    return bytes;
}

}  // namespace tenon
