// SPDX-License-Identifier: Apache-2.0
// Files that exist completely or not at all: written under a temporary name, synced, renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// Replaces the file at `path`. A reader finds either the old bytes or the new ones, even after a power cut.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The same for a file that `fill` writes under the given name.
Status write_file(const std::filesystem::path& path,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill);

// The same without sync: a power cut may lose both versions. For data that can be recomputed.
Status write_quickly(const std::filesystem::path& path, std::string_view bytes);

// Makes `link` point to `target` (stored as text, so usually relative), replacing an earlier link.
Status replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

// Creates the folder and its missing parents.
Status make_folders(const std::filesystem::path& path);

}  // namespace tenon
