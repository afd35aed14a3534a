// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/parse.hpp"

// toml++ 3.3 asserts (or, with NDEBUG, assumes) that a header such as "[[[a]]" is impossible, just before the code that
// reports it. With assertions that do nothing, the code reports it.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "config/manifest/excerpt.hpp"
#include "config/manifest/key_path.hpp"
#include "config/manifest/utf8.hpp"

namespace tenon {
namespace {

// toml++ frees tables recursively: a key with a hundred thousand parts would overflow the stack. A key ends with its
// line.
constexpr std::ptrdiff_t kMaxDots = 1000;
constexpr int kMaxDepth = 64;

struct Position {
    std::uint32_t line;
    std::uint32_t column;
    auto operator<=>(const Position&) const = default;
};

class Converter {
public:
    explicit Converter(const SourceLines& lines) : lines_(lines) {}

    [[nodiscard]] Place place(const toml::source_region& region) const {
        std::uint32_t length = 0;  // to the end of the line
        if (region.end.line == region.begin.line) {
            length = std::max(region.end.column, region.begin.column + 1) - region.begin.column;
        }
        return place_in(lines_, region.begin.line, region.begin.column, length);
    }

    Result<TomlTable> table(const toml::table& source, int depth) const {
        struct Item {
            Position position;
            const toml::key* key;
            const toml::node* node;
        };
        std::vector<Item> items;  // in the order of the file; toml++ sorts by name
        for (auto&& [key, node] : source) {
            items.push_back({{key.source().begin.line, key.source().begin.column}, &key, &node});
        }
        std::stable_sort(items.begin(), items.end(),
                         [](const Item& a, const Item& b) { return a.position < b.position; });
        TomlTable out;
        for (const Item& item : items) {
            TomlNode converted = TENON_TRY(node(*item.node, depth));
            converted.key_place = place(item.key->source());
            out.entries.push_back({std::string(item.key->str()), std::move(converted)});
        }
        return out;
    }

private:
    Result<TomlNode> node(const toml::node& source, int depth) const {
        TomlNode out{.value = false, .place = place(source.source()), .key_place = {}};
        if (depth > kMaxDepth) {
            return input_problem("tables and lists nest deeper than " + std::to_string(kMaxDepth),
                                 std::move(out.place));
        }
        if (const toml::table* inner = source.as_table()) {
            out.value = TENON_TRY(table(*inner, depth + 1));
        } else if (const toml::array* array = source.as_array()) {
            std::vector<TomlNode> elements;
            for (const toml::node& element : *array) {
                elements.push_back(TENON_TRY(node(element, depth + 1)));
            }
            out.value = std::move(elements);
        } else if (const auto* flag = source.as_boolean()) {
            out.value = flag->get();
        } else if (const auto* whole = source.as_integer()) {
            out.value = whole->get();
        } else if (const auto* real = source.as_floating_point()) {
            out.value = real->get();
        } else if (const auto* text = source.as_string()) {
            out.value = text->get();
            for (std::uint32_t line = source.source().begin.line; line < source.source().end.line; ++line) {
                out.further_lines.push_back(line < lines_.lines.size() ? lines_.lines[line] : "");
            }
        } else {
            return input_problem("dates and times are not supported", std::move(out.place),
                                 "write it as a string, in quotes");
        }
        return out;
    }

    const SourceLines& lines_;
};

std::optional<Problem> too_many_dots(std::string_view text, const SourceLines& lines) {
    std::ptrdiff_t dots = 0;
    std::uint32_t line = 1;
    for (const char c : text) {
        line += c == '\n' ? 1 : 0;
        dots = c == '\n' ? 0 : dots + (c == '.' ? 1 : 0);
        if (dots > kMaxDots) {
            return input_problem("a line has more than " + std::to_string(kMaxDots) + " dots",
                                 place_in(lines, line, 1, 1), "break a long list into several lines");
        }
    }
    return std::nullopt;
}

// Help for mistakes that are valid in other languages. `before` is the text before the place in its line.
std::string help_for(std::string_view description, std::string_view before) {
    const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
    if (says("parsing boolean")) {
        return "write true or false in lower case, and strings in quotes";
    }
    if (says("could not determine value type") || says("expected 'nan'") || says("expected 'inf'")) {
        return "write strings in quotes";
    }
    if (says("saw ','") && !before.empty() && before.back() >= '0' && before.back() <= '9') {
        return "write numbers without commas: 10_000 or 10000";
    }
    if (says("expected '='")) {
        return "write it as key = value";
    }
    return says("saw '/'") ? "comments begin with #" : "";
}

// From a line and a column in code points, as toml++ counts them.
std::size_t offset_of(std::string_view text, Position position) {
    std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::uint32_t line = 1; line < position.line && at < text.size(); ++line) {
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    for (std::uint32_t column = 1; column < position.column && at < text.size(); ++column) {
        do {
            ++at;
        } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U);
    }
    return at;
}

// A key with its dots, or a header, as it is written. In bytes.
struct Definition {
    KeyPath key;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_header = false;

    [[nodiscard]] std::string_view written(std::string_view text) const { return text.substr(begin, end - begin); }
};

// The header at the beginning of the line, or the key of the innermost value, that `at` belongs to: a key begins a line
// or follows a '{' or a ','.
std::optional<Definition> definition_around(std::string_view text, std::size_t at) {
    const auto past_blanks = [&](std::size_t from) {
        return std::min(text.find_first_not_of(" \t", from), text.size());
    };
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    std::size_t begin = past_blanks(newline == std::string_view::npos ? mark : newline + 1);
    std::optional<Definition> out;
    if (const std::size_t brackets = text.substr(begin).starts_with("[[") ? 2 : 1;
        text.substr(begin).starts_with('[')) {
        Definition header{.key = read_key_path(text, begin + brackets), .begin = begin, .is_header = true};
        header.end = std::min(header.key.end + brackets, text.size());
        if (header.key.is_whole && at <= header.end && header.key.end < text.size() && text[header.key.end] == ']') {
            return header;
        }
    }
    for (; begin <= at && begin < text.size(); begin = past_blanks(std::min(text.find_first_of("{,", begin), at) + 1)) {
        const KeyPath key = read_key_path(text, begin);
        if (key.is_whole && key.end < text.size() && text[key.end] == '=' && at <= past_blanks(key.end + 1)) {
            out = {.key = key, .begin = begin, .end = key.parts.back().end};
        }
    }
    return out;
}

// The table with a key that no text has; null if there is none.
constexpr std::string_view kFresh = "\x01";
const toml::table* with_fresh_key(const toml::node& node) {
    const toml::table* out = nullptr;
    if (const toml::table* table = node.as_table()) {
        out = table->contains(kFresh) ? table : nullptr;
        for (auto it = table->begin(); it != table->end() && out == nullptr; ++it) {
            out = with_fresh_key(it->second);
        }
    } else if (const toml::array* array = node.as_array()) {
        for (auto it = array->begin(); it != array->end() && out == nullptr; ++it) {
            out = with_fresh_key(*it);
        }
    }
    return out;
}

// Where the key, or a parent of it that is no table, is in a table. A header of a table's own comes after one that has
// only implied the table.
std::optional<toml::source_position> place_in_table(std::string_view text, const toml::table* table,
                                                    const std::vector<KeyPart>& key) {
    std::optional<toml::source_position> out;
    for (const KeyPart& part : key) {
        const auto found = table == nullptr ? toml::table::const_iterator() : table->find(part.name);
        if (table == nullptr || found == table->end()) {
            break;
        }
        const toml::array* const list = found->second.as_array();
        const bool of_tables = list != nullptr && list->is_array_of_tables();
        table = of_tables ? list->back().as_table() : found->second.as_table();
        const toml::source_position own = found->second.source().begin;
        const bool has_header =
            table != nullptr && !of_tables && text.substr(offset_of(text, {own.line, own.column})).starts_with('[');
        out = has_header ? own : found->first.source().begin;
    }
    return out;
}

// The first definition of a key that is defined twice. If the second one has another name, the text up to its end is
// valid TOML, in which toml++ knows all places.
std::optional<Definition> first_definition(std::string_view text, const Definition& second) {
    constexpr int kMostLines = 100;  // of a value
    const KeyPart& name = second.key.parts.front();
    const std::string before = std::string(text.substr(0, name.begin)) + "\"\\u0001\"";
    std::size_t end = name.end;
    for (int line = 0; line < kMostLines && end < text.size(); ++line) {
        end = std::min(text.find('\n', end + 1), text.size());
        const toml::parse_result parsed = toml::parse(before + std::string(text.substr(name.end, end - name.end)));
        if (parsed) {
            const toml::table* const table = second.is_header ? &parsed.table() : with_fresh_key(parsed.table());
            const auto at = place_in_table(text, table, second.key.parts);
            return at ? definition_around(text, offset_of(text, {at->line, at->column})) : std::nullopt;
        }
    }
    return std::nullopt;
}

Place place_of(std::string_view text, const SourceLines& lines, const Definition& definition) {
    const std::string_view before = text.substr(0, definition.begin);
    const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const std::size_t mark = line_begin == 0 && text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
    const auto points = [&](std::size_t begin, std::size_t end) {
        return static_cast<std::uint32_t>(count_code_points(text.substr(begin, end - begin)));
    };
    return place_in(lines, line, points(line_begin + mark, definition.begin) + 1,
                    points(definition.begin, definition.end));
}

// The problem of a second definition, with both places.
std::optional<Problem> given_twice(std::string_view text, const SourceLines& lines, const std::string& description,
                                   Position position) {
    const std::optional<Definition> second = description.find("redefine") != std::string::npos
                                                 ? definition_around(text, offset_of(text, position))
                                                 : std::nullopt;
    const std::optional<Definition> first = second ? first_definition(text, *second) : std::nullopt;
    if (!first) {
        return std::nullopt;
    }
    const std::string written(second->written(text));
    const bool same = first->written(text) == written;
    const std::string named = second->is_header ? written : "'" + written + "'";
    Problem problem = input_problem("not valid TOML: " + (same ? named + " is given twice" : description),
                                    place_of(text, lines, *second));
    problem.also.push_back(place_of(text, lines, *first));
    problem.also.back().label = "the first time";
    return problem;
}

}  // namespace

Result<TomlTable> parse_toml(std::string_view text, const std::string& file) {
    const SourceLines lines(text, file);
    if (std::optional<Problem> problem = too_many_dots(text, lines)) {
        return *std::move(problem);
    }
    const Converter converter(lines);
    const toml::parse_result parsed = toml::parse(text, file);
    if (!parsed) {
        std::string description(parsed.error().description());
        if (!description.empty() && description.front() >= 'A' && description.front() <= 'Z') {
            description.front() = static_cast<char>(description.front() - 'A' + 'a');  // it continues our sentence
        }
        if (description.find("unescaped control characters") != std::string::npos) {
            description = "a string must end with a quote on the line on which it begins";
        }
        const toml::source_region& region = parsed.error().source();
        if (std::optional<Problem> twice =
                given_twice(text, lines, description, {region.begin.line, region.begin.column})) {
            return *std::move(twice);
        }
        Place place = converter.place(region);
        const std::string before = place.excerpt.substr(0, std::max<std::uint32_t>(place.column, 1) - 1);
        std::string help = help_for(description, before);
        return input_problem("not valid TOML: " + description, std::move(place), std::move(help));
    }
    return converter.table(parsed.table(), 0);
}

}  // namespace tenon
