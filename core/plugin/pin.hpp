// SPDX-License-Identifier: Apache-2.0
// Pins: which bytes a plugin file must consist of.
#pragma once

#include <filesystem>
#include <string>

#include "error/result.hpp"

namespace tenon {

struct Pin {
    std::string library;  // "classic"
    std::string sha256;   // 64 hexadecimal digits in either case
    Place place;          // the manifest's line
};

Status check_pin_form(const Pin& pin);

// A file with other bytes is a problem that names both hashes.
Status check_pin(const Pin& pin, const std::filesystem::path& file);

}  // namespace tenon
