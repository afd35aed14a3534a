// SPDX-License-Identifier: Apache-2.0
// The contents of a file.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tenon/guard.hpp"

namespace text {

inline std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code code;
    if (!file || std::filesystem::is_directory(path, code)) {
        throw tenon::InvalidArgument("the file " + path + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace text
