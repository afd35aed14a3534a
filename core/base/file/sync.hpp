// SPDX-License-Identifier: Apache-2.0
// System calls on files as Results: errno becomes a sentence with the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// Closes itself; -1 means none.
class FileDescriptor {
public:
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&&) = delete;
    ~FileDescriptor();

    [[nodiscard]] int get() const { return number_; }
    int release();

private:
    int number_;
};

// "cannot ACTION PATH: REASON" with the text of errno; disk and permissions are the environment's fault.
Problem file_problem(std::string_view action, const std::filesystem::path& path, int error);

// Writes all bytes and syncs them to the disk.
Status write_and_sync(const std::filesystem::path& path, std::string_view bytes);

// Writes all bytes without sync; a power cut may lose them.
Status write_unsynced(const std::filesystem::path& path, std::string_view bytes);

// Appends to a file of that length, completely or not at all: half a record is worse than none.
Status append_whole(const FileDescriptor& file, const std::filesystem::path& path, std::uint64_t length,
                    std::string_view bytes);

// Makes the bytes of a file, or the names in a folder, survive a power cut.
Status sync_path(const std::filesystem::path& path);

// A name next to `path` that is unique to this process: in the same folder, because rename does not work across file
// systems, and with a leading dot, so that it is not mistaken for a result.
std::filesystem::path temporary_in_same_folder(const std::filesystem::path& path);

// The folder that contains `path`; "." if it names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace tenon
