// SPDX-License-Identifier: Apache-2.0
// Opens a file that the user named, and reads a whole file as a string.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"

namespace tenon {

// A file that is missing, not regular (a folder, device, pipe or socket) or not readable is the user's mistake;
// anything else is the environment's fault. Never waits for the writer of a pipe, and never opens a device.
Result<FileDescriptor> open_to_read(const std::filesystem::path& path);

// The largest size that makes sense for a file, and what messages call its kind: "manifest".
struct Largest {
    std::uint64_t bytes = 0;
    std::string_view kind;
};

// A file larger than `largest` is refused by its size, before it is read.
Result<std::string> read_file(const std::filesystem::path& path, const std::optional<Largest>& largest = {});

}  // namespace tenon
