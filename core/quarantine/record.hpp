// SPDX-License-Identifier: Apache-2.0
// What is kept of a plugin file that has been loaded in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// What a file system says of a file, whose bytes are taken to be the same as long as this is.
struct FileStamp {
    std::int64_t size = 0;
    std::int64_t modified = 0;  // in nanoseconds
    std::int64_t inode = 0;

    bool operator==(const FileStamp&) const = default;
};

// Nothing where there is no such file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

struct LoadingRecord {
    std::string path;
    FileStamp stamp;
    std::string sha256;
    std::string host;           // the version that tried it
    std::string end;            // of the process: "was ended by SIGSEGV in init"; empty: it survived
    std::int64_t tried_at = 0;  // in seconds since 1970

    [[nodiscard]] bool is_sound() const { return end.empty(); }
};

// Of this host: its own version and that of the ABI.
std::string host_version();

std::string write_record(const LoadingRecord& record);
// Any text at all; nothing where it is no whole record.
std::optional<LoadingRecord> read_record(std::string_view text);

}  // namespace tenon
