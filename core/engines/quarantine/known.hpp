// SPDX-License-Identifier: Apache-2.0
// The records of plugin files: one small file each in the state folder.
#pragma once

#include <filesystem>
#include <optional>

#include "engines/quarantine/record.hpp"

namespace tenon {

// What is known about the file in its present state: the same bytes, tried by this version of the host. Nothing if that
// is unknown for any reason. It only reads metadata of the file and the record, unless the file was modified.
std::optional<LoadingRecord> recall(const std::filesystem::path& file);

// Saves the record for record.path. A failure to save is ignored.
void keep_record(const LoadingRecord& record);

// Removes the record of the file.
void forget(const std::filesystem::path& file);
// Removes the records of files that no longer exist.
void forget_gone();

}  // namespace tenon
