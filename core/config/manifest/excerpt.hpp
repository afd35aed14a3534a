// SPDX-License-Identifier: Apache-2.0
// Places in a text, with the text of their line made safe for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"

namespace tenon {

struct SourceLines {
    SourceLines(std::string_view text, std::string file_name);

    std::string file;
    std::vector<std::string> lines;  // without line ends; control characters replaced; empty if too long to show
};

// Columns and lengths count code points from 1; length 0: to the end of the line.
Place place_in(const SourceLines& lines, std::uint32_t line, std::uint32_t column, std::uint32_t length);

}  // namespace tenon
