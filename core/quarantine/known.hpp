// SPDX-License-Identifier: Apache-2.0
// The records of plugin files, one small file each in the state folder.
#pragma once

#include <filesystem>
#include <optional>

#include "quarantine/record.hpp"

namespace tenon {

// What is known of the file as it is now: of the same bytes, tried by this version of the host. Nothing where that is
// not to be had, for whatever reason. Costs a look at the file and one at the record, unless the file was touched.
std::optional<LoadingRecord> recall(const std::filesystem::path& file);

// From now on that is known of record.path. Where it cannot be kept it is not.
void keep_record(const LoadingRecord& record);

// Nothing is known of the file.
void forget(const std::filesystem::path& file);
// Nor of any file that is not there any more.
void forget_gone();

}  // namespace tenon
