// SPDX-License-Identifier: Apache-2.0
#include "engines/storage_disk/disk_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/data/memory.hpp"
#include "base/file/atomic.hpp"
#include "base/file/lock.hpp"
#include "base/file/sync.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "lock";
constexpr std::array<std::string_view, 6> kEntries = {kLayoutFile, kMarksFile, kSumsFile,
                                                      kLockFile,   "columns",  "final"};

std::string taken(const fs::path& folder) {
    return "the buffer in " + folder.string() + " is in use by another process";
}

// A folder with other files must not be touched.
Status check_only_ours(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().filename().string();
        const bool interrupted = name.starts_with(std::string(".") + kLayoutFile + ".tmp-");
        if (std::ranges::find(kEntries, name) == kEntries.end() && !interrupted) {
            return input_problem(folder.string() + " is not the folder of a buffer: it holds " + name, {},
                                 "give buffer.path a new folder");
        }
    }
    return code ? Status(file_problem("list", folder, code.value())) : Status();
}

void remove_files(const fs::path& folder) {
    std::error_code ignored;  // what is left will be reported when it is written
    fs::remove(folder / kLayoutFile, ignored);
    fs::remove(folder / kMarksFile, ignored);
    fs::remove(folder / kSumsFile, ignored);
    fs::remove_all(folder / "columns", ignored);
    fs::remove_all(folder / "final", ignored);
}

// Reserves the bytes, so that a full disk is reported now. Later it would be found when a page is written, which would
// end the process.
Status reserve(const fs::path& file, std::size_t bytes) {
    const FileDescriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (made.get() < 0) {
        return file_problem("write", file, errno);
    }
    const int error = ::posix_fallocate(made.get(), 0, static_cast<off_t>(bytes));
    if (error != 0) {
        Problem problem = file_problem("reserve " + bytes_text(bytes) + " for", file, error);
        problem.help = "lower the buffer's capacity, or give it a path on a larger disk";
        return problem;
    }
    return {};
}

// Every file of the layout and its size.
std::vector<std::pair<fs::path, std::size_t>> files_of(const DiskLayout& layout, const fs::path& folder) {
    std::vector<std::pair<fs::path, std::size_t>> out = {{folder / kMarksFile, marks_bytes(layout)},
                                                         {folder / kSumsFile, sums_bytes(layout)}};
    const std::size_t rows = (std::size_t{layout.slots} + layout.spare) * layout.lanes;
    for (const StorageColumn& column : layout.columns) {
        out.emplace_back(column_file(folder, column.key), rows * row_bytes(column));
        if (column.role == Role::kObservation) {
            out.emplace_back(final_file(folder, column.key), rows * row_bytes(column));
        }
    }
    return out;
}

Status check_disk(const DiskLayout& layout, const fs::path& folder) {
    std::error_code code;
    const fs::space_info disk = fs::space(folder, code);
    const std::uint64_t needed = disk_bytes(layout);
    if (code || needed <= disk.available) {
        return {};
    }
    return environment_problem("the buffer in " + folder.string() + " needs " + bytes_text(needed) +
                                   ", but its disk has only " + bytes_text(disk.available) + " left",
                               {}, "lower the buffer's capacity, or give it a path on a larger disk");
}

Status fill(const DiskLayout& layout, const fs::path& folder) {
    for (const char* name : {"columns", "final"}) {
        TENON_TRY(make_folders(folder / name));
    }
    for (const auto& [file, bytes] : files_of(layout, folder)) {
        TENON_TRY(reserve(file, bytes));
    }
    return write_layout(layout, folder / kLayoutFile);
}

}  // namespace

fs::path column_file(const fs::path& folder, const std::string& key) {
    return folder / "columns" / key;
}

fs::path final_file(const fs::path& folder, const std::string& key) {
    return folder / "final" / key;
}

bool holds_buffer(const fs::path& folder) {
    std::error_code code;
    return fs::exists(folder / kLayoutFile, code);
}

std::uint64_t disk_bytes(const DiskLayout& layout) {
    std::uint64_t out = 0;
    for (const auto& [file, bytes] : files_of(layout, {})) {
        out += bytes;
    }
    return out;
}

Result<PrivateDescriptor> make_disk_folder(const DiskLayout& layout, const fs::path& folder) {
    std::error_code code;
    const bool is_new = !fs::exists(folder, code);
    TENON_TRY(make_folders(folder));
    TENON_TRY(check_only_ours(folder));
    PrivateDescriptor lock = TENON_TRY(lock_alone(folder / kLockFile, taken(folder)));
    remove_files(folder);
    Status ready = check_disk(layout, folder);
    if (ready) {
        ready = fill(layout, folder);
    }
    if (!ready) {
        remove_files(folder);
        if (is_new) {
            fs::remove(folder / kLockFile, code);
            fs::remove(folder, code);
        }
        return ready.error();
    }
    return lock;
}

Result<PrivateDescriptor> lock_disk_folder(const fs::path& folder, bool to_write) {
    if (!holds_buffer(folder)) {
        return input_problem("there is no buffer in " + folder.string());
    }
    return to_write ? lock_alone(folder / kLockFile, taken(folder)) : lock_to_read(folder / kLockFile, taken(folder));
}

Result<Slab> map_reserved(const fs::path& file, std::size_t bytes, bool shared) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0 || static_cast<std::size_t>(status.st_size) < bytes) {
        TENON_TRY(reserve(file, bytes));
    }
    const FileDescriptor opened(::open(file.c_str(), (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    if (opened.get() < 0) {
        return file_problem("open", file, errno);
    }
    return Slab::of_file(opened.get(), bytes, shared);
}

}  // namespace tenon
