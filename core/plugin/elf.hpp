// SPDX-License-Identifier: Apache-2.0
// Finds the Tenon note in a shared library without loading it. Reads the file as what it is, bytes that somebody else
// wrote: every offset is checked against the file's size.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "error/result.hpp"

namespace tenon {

// The description of the note TN_NOTE_NAME, type TN_NOTE_TYPE. A missing file or a folder is the user's input,
// everything that is wrong with the file the plugin's.
Result<std::string> read_elf_note(const std::filesystem::path& file);

// The same of a file that is in memory; `path` stands in the sentences.
Result<std::string> find_elf_note(std::string_view bytes, const std::string& path);

}  // namespace tenon
