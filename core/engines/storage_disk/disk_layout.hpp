// SPDX-License-Identifier: Apache-2.0
// What a buffer on the disk holds: its layout.json, which readers check before they map anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {

struct DiskLayout {
    std::uint32_t slots = 0;
    std::uint32_t lanes = 0;
    std::uint32_t spare = 0;                   // overwritten steps that are kept
    std::vector<StorageColumn> columns = {};   // with the storage's own
    std::map<std::string, std::string> specs;  // the permitted values of a column, in words
};

// "1001 slots of 8 lanes: observation float32 [4], action int64 []". Without the storage's own columns.
std::string layout_text(std::uint32_t slots, std::uint32_t lanes, std::span<const StorageColumn> columns);

Status write_layout(const DiskLayout& layout, const std::filesystem::path& file);

// A problem names the file and, for one of another version, both versions.
Result<DiskLayout> read_layout(const std::filesystem::path& file);

}  // namespace tenon
