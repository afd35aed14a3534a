// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/character.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manifest/utf8.hpp"

namespace tenon {
namespace {

bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t size_of_character(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) {
        ++size;
    }
    return size;
}

// Reads a string as the manifest writes it, character by character.
class Written {
public:
    Written(std::vector<std::string_view> lines, std::size_t column, bool bare) : lines_(std::move(lines)) {
        for (std::size_t i = 0; i < column && !rest().empty(); ++i) {
            at_ += size_of_character(rest());
        }
        if (bare) {
            return;
        }
        for (const std::string_view quotes : {"\"\"\"", "'''", "\"", "'"}) {
            if (rest().starts_with(quotes)) {
                escapes_ = quotes[0] == '"';
                at_ += quotes.size();
                several_ = quotes.size() == 3;
                break;
            }
        }
        if (several_ && rest().empty()) {
            next_line();  // a line end after the quotes is not part of the string
        }
        skip_joint();
    }

    // Moves past one character of the string; false if there is none.
    bool skip() {
        if (rest().empty()) {
            if (!several_ || !next_line()) {
                return false;
            }
        } else if (escapes_ && rest().starts_with('\\') && rest().size() > 1) {
            const std::size_t length = rest()[1] == 'u' ? 6 : rest()[1] == 'U' ? 10 : 2;
            at_ += std::min(length, rest().size());
        } else {
            at_ += size_of_character(rest());
        }
        skip_joint();
        return true;
    }

    [[nodiscard]] std::size_t line() const { return line_; }
    [[nodiscard]] std::size_t column() const { return count_code_points(lines_[line_].substr(0, at_)); }
    [[nodiscard]] std::string_view rest() const { return lines_[line_].substr(at_); }

private:
    bool next_line() {
        if (line_ + 1 == lines_.size()) {
            return false;
        }
        ++line_;
        at_ = 0;
        return true;
    }

    // A backslash at the end of a line: the string continues with the next character that is not a blank.
    void skip_joint() {
        const auto blank = [this] { return rest().find_first_not_of(" \t") == std::string_view::npos; };
        if (!escapes_ || !several_ || !rest().starts_with('\\') ||
            rest().substr(1).find_first_not_of(" \t") != std::string_view::npos) {
            return;
        }
        do {
            if (!next_line()) {
                return;
            }
        } while (blank());
        at_ = rest().find_first_not_of(" \t");
        skip_joint();
    }

    std::vector<std::string_view> lines_;
    std::size_t line_ = 0;
    std::size_t at_ = 0;    // in bytes
    bool escapes_ = false;  // a backslash begins an escape
    bool several_ = false;  // the string may have several lines
};

}  // namespace

std::optional<Place> place_of_character(const TomlNode& node, std::size_t number) {
    const auto* const text = std::get_if<std::string>(&node.value);
    if (text == nullptr || number > count_code_points(*text) || node.place.excerpt.empty() || node.place.column == 0) {
        return std::nullopt;
    }
    std::vector<std::string_view> lines{node.place.excerpt};
    lines.insert(lines.end(), node.further_lines.begin(), node.further_lines.end());
    Written written(std::move(lines), node.place.column - 1, node.bare);
    for (std::size_t i = 0; i < number; ++i) {
        if (!written.skip()) {
            return std::nullopt;
        }
    }
    std::uint32_t length = 1;
    if (!written.rest().empty() && is_of_word(written.rest()[0])) {
        while (length < written.rest().size() && is_of_word(written.rest()[length])) {
            ++length;
        }
    }
    Place place = node.place;
    place.line += static_cast<std::uint32_t>(written.line());
    place.column = static_cast<std::uint32_t>(written.column()) + 1;
    place.length = length;
    if (written.line() > 0) {
        place.excerpt = node.further_lines[written.line() - 1];
    }
    return place;
}

}  // namespace tenon
