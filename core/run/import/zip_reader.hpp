// SPDX-License-Identifier: Apache-2.0
// The entries of a zip file in memory. Only stored entries have their bytes here: compressed ones are refused when they
// are wanted. The bytes may be anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct ZipEntry {
    std::string_view name;  // this and bytes: borrowed from the file
    std::string_view bytes;
    bool stored = false;  // otherwise compressed or encrypted, and without bytes
};

[[nodiscard]] bool looks_like_zip(std::string_view bytes);

// The problem's sentence begins with `subject`.
Result<std::vector<ZipEntry>> read_zip(std::string_view bytes, std::string_view subject);

// The bytes of the entry with that name.
Result<std::string_view> stored_entry(const std::vector<ZipEntry>& entries, std::string_view name,
                                      std::string_view subject);

}  // namespace tenon
