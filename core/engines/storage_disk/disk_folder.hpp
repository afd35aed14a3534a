// SPDX-License-Identifier: Apache-2.0
// The folder of a buffer on the disk: its files, their lock, and the disk space that they need.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "engines/storage_disk/disk_layout.hpp"

namespace tenon {

inline constexpr const char* kLayoutFile = "layout.json";
inline constexpr const char* kMarksFile = "marks";
inline constexpr const char* kSumsFile = "sums";

std::filesystem::path column_file(const std::filesystem::path& folder, const std::string& key);
std::filesystem::path final_file(const std::filesystem::path& folder, const std::string& key);

// Whether the folder has been made completely.
bool holds_buffer(const std::filesystem::path& folder);

// The bytes of the marks and of the sums of a buffer (disk_ring.cpp), and of all its files.
std::size_t marks_bytes(const DiskLayout& layout);
std::size_t sums_bytes(const DiskLayout& layout);
std::uint64_t disk_bytes(const DiskLayout& layout);

// Makes the folder with files of zeros, whose bytes are all reserved. It may replace a buffer without steps. Returns
// its lock.
Result<PrivateDescriptor> make_disk_folder(const DiskLayout& layout, const std::filesystem::path& folder);

// The lock of a folder that holds a buffer.
Result<PrivateDescriptor> lock_disk_folder(const std::filesystem::path& folder, bool to_write);

// Maps the file into memory. A file that is too short, because it has been damaged, is extended by zeros, whose
// checksums are wrong.
Result<Slab> map_reserved(const std::filesystem::path& file, std::size_t bytes, bool shared);

}  // namespace tenon
