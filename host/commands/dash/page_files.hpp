// SPDX-License-Identifier: Apache-2.0
// The files of the page. They are part of the program, so it finds them wherever it is installed.
#pragma once

#include <optional>
#include <string_view>

namespace tenon {

struct PageFile {
    std::string_view path;  // "/": the page itself
    std::string_view type;
    std::string_view text;
};

std::optional<PageFile> page_file(std::string_view path);

}  // namespace tenon
