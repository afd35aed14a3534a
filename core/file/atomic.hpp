// SPDX-License-Identifier: Apache-2.0
// Files that are there as a whole or not at all: written under a temporary name, synced, renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "error/result.hpp"

namespace tenon {

// Replaces what is at `path`. Whoever reads at any moment, a power cut included, finds the old bytes or the new ones.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The same for a file that `fill` writes, under the name it is given.
Status write_file(const std::filesystem::path& path,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill);

// The same but for power cuts, which may leave neither: without waiting for the disk, for what can be found out again.
Status write_quickly(const std::filesystem::path& path, std::string_view bytes);

// Makes `link` point to `target` (as a text, so usually relative), in place of what it pointed to before.
Status replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

// The folder and those above it, where they are missing.
Status make_folders(const std::filesystem::path& path);

}  // namespace tenon
