// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/excerpt.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error/printable.hpp"
#include "config/manifest/utf8.hpp"

namespace tenon {
namespace {

// Every value keeps its line; without a limit, a list of n values on one line would take memory of n squared.
constexpr std::size_t kMaxShown = 240;

std::string shown(std::string_view line) {
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    if (line.size() > kMaxShown) {
        return {};
    }
    if (std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) {
        return std::string(line);
    }
    std::string out;
    const bool foreign = !is_utf8(line);
    while (!line.empty()) {
        const std::string_view character = line.substr(0, foreign ? 1 : character_size(line));
        const bool known = static_cast<unsigned char>(character.front()) < 0x80 || !foreign;
        // Replaces one character by another one, so that columns stay the same.
        out += character == "\t" || (known && !is_control(character)) ? character : "?";
        line.remove_prefix(character.size());
    }
    return out;
}

}  // namespace

SourceLines::SourceLines(std::string_view text, std::string file_name) : file(std::move(file_name)) {
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    while (true) {
        const std::size_t end = text.find('\n');
        lines.push_back(shown(text.substr(0, end)));
        if (end == std::string_view::npos) {
            return;
        }
        text.remove_prefix(end + 1);
    }
}

Place place_in(const SourceLines& lines, std::uint32_t line, std::uint32_t column, std::uint32_t length) {
    Place place{.file = lines.file, .line = line, .column = column, .length = length, .excerpt = {}};
    if (line >= 1 && line <= lines.lines.size()) {
        place.excerpt = lines.lines[line - 1];
    }
    const auto width = static_cast<std::uint32_t>(count_code_points(place.excerpt));
    if (width > 0) {
        place.column = std::min(column, width + 1);  // toml++ counts past the end if the text ends
    }
    const std::uint32_t rest = width >= column ? width - column + 1 : 1;
    place.length = std::max<std::uint32_t>(1, length == 0 ? rest : std::min(length, rest));
    return place;
}

}  // namespace tenon
