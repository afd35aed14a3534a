// SPDX-License-Identifier: Apache-2.0
#include "base/file/read.hpp"

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

Status check_regular(const std::filesystem::path& path, mode_t mode) {
    const char* const kind = S_ISDIR(mode)                    ? "folder"
                             : S_ISFIFO(mode)                 ? "pipe"
                             : S_ISSOCK(mode)                 ? "socket"
                             : S_ISCHR(mode) || S_ISBLK(mode) ? "device"
                                                              : nullptr;
    return kind == nullptr ? Status() : input_problem(path.string() + " is a " + kind + ", not a file");
}

Problem too_large(const std::filesystem::path& path, const Largest& largest) {
    return input_problem(path.string() + " is larger than " + std::to_string(largest.bytes >> 20U) + " MiB, which no " +
                         std::string(largest.kind) + " is");
}

}  // namespace

Result<FileDescriptor> open_to_read(const std::filesystem::path& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        return open_problem(path, errno);
    }
    TENON_TRY(check_regular(path, info.st_mode));
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) {
        return open_problem(path, errno);
    }
    if (::fstat(file.get(), &info) != 0) {
        return file_problem("read", path, errno);
    }
    if (Status regular = check_regular(path, info.st_mode); !regular) {  // the name may refer to another file by now
        return std::move(regular).error();
    }
    return Result<FileDescriptor>(std::move(file));
}

Result<std::string> read_file(const std::filesystem::path& path, const std::optional<Largest>& largest) {
    const FileDescriptor file = TENON_TRY(open_to_read(path));
    struct stat info{};
    ::fstat(file.get(), &info);
    if (largest && static_cast<std::uint64_t>(info.st_size) > largest->bytes) {
        return too_large(path, *largest);
    }
    // The size is only a hint: files under /proc report 0. One additional byte detects the end without growing.
    std::string bytes(static_cast<std::size_t>(info.st_size) + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size()) {
            bytes.resize(bytes.size() * 2 + 4096);
        }
        const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
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
        if (largest && used > largest->bytes) {
            return too_large(path, *largest);
        }
    }
    bytes.resize(used);
    return bytes;
}

}  // namespace tenon
