// SPDX-License-Identifier: Apache-2.0
// Finds the Tenon note of a shared library without loading it. The file is not trusted: every offset is checked against
// the file's size.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// The description of the note TN_NOTE_NAME, type TN_NOTE_TYPE. A missing file or a folder is the user's mistake; any
// defect of the file is the plugin's.
Result<std::string> read_elf_note(const std::filesystem::path& file);

// The same for a file in memory; `path` is for messages.
Result<std::string> find_elf_note(std::string_view bytes, const std::string& path);

}  // namespace tenon
