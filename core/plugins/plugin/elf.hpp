// SPDX-License-Identifier: Apache-2.0
// Finds the Tenon note of a shared library without loading it. The file is not trusted: every offset is checked against
// the file's size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// The description of the note TN_NOTE_NAME, type TN_NOTE_TYPE. A missing file or a folder is the user's mistake; any
// defect of the file is the plugin's.
Result<std::string> read_elf_note(const std::filesystem::path& file);

// The same for a file in memory; `path` is for messages.
Result<std::string> find_elf_note(std::string_view bytes, const std::string& path);

// Access to parts of an untrusted file: nothing if they are out of bounds.
inline std::optional<std::string_view> slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) {
        return std::nullopt;
    }
    return bytes.substr(offset, size);
}

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
    const auto found = slice(bytes, offset, sizeof(T));
    if (!found) {
        return std::nullopt;
    }
    T out;
    found->copy(reinterpret_cast<char*>(&out), sizeof out);
    return out;
}

}  // namespace tenon
