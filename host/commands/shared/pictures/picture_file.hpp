// SPDX-License-Identifier: Apache-2.0
// A picture in a file: SVG, or PNG where the program rsvg-convert (librsvg) is installed.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"

namespace tenon {

// Whether write_picture can write a file of this name: it ends in .svg, or in .png and rsvg-convert is installed.
Status check_picture(const std::filesystem::path& path);

// PNG has twice the width and height of the SVG. The file exists completely or not at all.
Status write_picture(const std::filesystem::path& path, const std::string& svg);

}  // namespace tenon
