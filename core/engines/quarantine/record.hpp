// SPDX-License-Identifier: Apache-2.0
// The record of a plugin file that has been loaded in a separate process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// The file system's metadata of a file; its bytes count as unchanged while these are the same.
struct FileStamp {
    std::int64_t size = 0;
    std::int64_t modified = 0;  // in nanoseconds
    std::int64_t inode = 0;

    bool operator==(const FileStamp&) const = default;
};

// Nothing if there is no such file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

struct LoadingRecord {
    std::string path;
    FileStamp stamp;
    std::string sha256 = {};
    std::string host;           // the version that tried it
    std::string end = {};       // of the process: "was ended by SIGSEGV in init"; empty: it survived
    std::int64_t tried_at = 0;  // in seconds since 1970

    [[nodiscard]] bool is_sound() const { return end.empty(); }
};

// This host's own version and that of the ABI.
std::string host_version();

std::string write_record(const LoadingRecord& record);
// Parses any text; nothing if it is not a complete record.
std::optional<LoadingRecord> read_record(std::string_view text);

}  // namespace tenon
