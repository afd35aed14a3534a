// SPDX-License-Identifier: Apache-2.0
// Opening a file that somebody named, and a whole file as a string.
#pragma once

#include <filesystem>
#include <string>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

// Missing, a folder and not allowed are the user's input, anything else is the environment's fault.
Result<FileDescriptor> open_to_read(const std::filesystem::path& path);

Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace tenon
