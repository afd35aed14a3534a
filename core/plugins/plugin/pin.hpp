// SPDX-License-Identifier: Apache-2.0
// Pins: the expected hash of a plugin file.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"

namespace tenon {

struct Pin {
    std::string library;  // "classic"
    std::string sha256;   // 64 hexadecimal digits in either case
    Place place;          // the manifest's line
};

Status check_pin_form(const Pin& pin);

// A file with another hash is a problem that names both.
Status check_pin(const Pin& pin, const std::filesystem::path& file);

}  // namespace tenon
