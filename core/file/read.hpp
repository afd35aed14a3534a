// SPDX-License-Identifier: Apache-2.0
// Opening a file that somebody named, and a whole file as a string.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

// Missing, no regular file (a folder, a device, a pipe, a socket) and not allowed are the user's input, anything else
// is the environment's fault. Never waits for whoever writes a pipe, and touches no device.
Result<FileDescriptor> open_to_read(const std::filesystem::path& path);

// The most bytes that a file has that is of some use: "manifest", or how else a sentence calls its kind.
struct Largest {
    std::uint64_t bytes = 0;
    std::string_view kind;
};

// A file that is larger than `largest` is refused by its size, before it is read.
Result<std::string> read_file(const std::filesystem::path& path, const std::optional<Largest>& largest = {});

}  // namespace tenon
