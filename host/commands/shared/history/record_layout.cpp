// SPDX-License-Identifier: Apache-2.0
#include "shared/history/record_layout.hpp"

#include <charconv>
#include <limits>

namespace tenon {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kNull = "null";

std::string_view up_to_separator(std::string_view text) {
    std::size_t end = 0;  // find_first_of would take as long as parsing the number
    while (end < text.size() && text[end] != ',' && text[end] != '}') {
        ++end;
    }
    return text.substr(0, end);
}

// Removes the number or null at the start of the text.
bool take_value(std::string_view& text, double& value) {
    if (text.starts_with('n')) {
        value = kNoValue;
        const bool is_null = text.starts_with(kNull);
        text.remove_prefix(is_null ? kNull.size() : 0);
        return is_null;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
}

}  // namespace

bool names_of_record(std::string_view line, std::vector<std::string_view>& names) {
    names.clear();
    if (line == "{}") {
        return true;
    }
    if (!line.starts_with('{') || !line.ends_with('}')) {
        return false;
    }
    while (line != "}") {
        line.remove_prefix(1);  // the brace or comma before a name
        const std::size_t end = line.find("\":", 1);
        if (!line.starts_with('"') || end == std::string_view::npos ||
            line.substr(1, end - 1).find_first_of("\"\\") != std::string_view::npos) {
            return false;
        }
        names.push_back(line.substr(1, end - 1));
        line.remove_prefix(end + 2);
        const std::string_view text = up_to_separator(line);
        std::string_view rest = text;
        double value = 0;
        if (!take_value(rest, value) || !rest.empty() || text.size() == line.size()) {
            return false;
        }
        line.remove_prefix(text.size());
        if (line.front() == '}' && line.size() > 1) {
            return false;
        }
    }
    return !names.empty();
}

bool read_record(std::string_view line, const RecordLayout& layout, std::span<double> row) {
    for (const RecordLayout::Value& each : layout.values) {
        if (!line.starts_with(each.key)) {
            return false;
        }
        line.remove_prefix(each.key.size());
        if (each.column == RecordLayout::kUnread) {
            line.remove_prefix(up_to_separator(line).size());
        } else if (!take_value(line, row[each.column])) {
            return false;
        }
    }
    return line == (layout.values.empty() ? "{}" : "}");
}

}  // namespace tenon
