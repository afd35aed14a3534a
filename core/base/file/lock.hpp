// SPDX-License-Identifier: Apache-2.0
// Locks between processes, which the system releases when a process ends, even if those that it has forked live on.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"

namespace tenon {

// Locks the file for only this process until the descriptor is closed, creating it if necessary. If another process
// has it, the problem is `taken` and that process.
Result<PrivateDescriptor> lock_alone(const std::filesystem::path& path, std::string_view taken);

// Locks it together with other readers. The file must exist.
Result<PrivateDescriptor> lock_to_read(const std::filesystem::path& path, std::string_view taken);

}  // namespace tenon
