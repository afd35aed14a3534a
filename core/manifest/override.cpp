// SPDX-License-Identifier: Apache-2.0
#include "manifest/override.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "manifest/excerpt.hpp"
#include "manifest/parse.hpp"
#include "manifest/utf8.hpp"

namespace tenon {
namespace {

struct Part {
    std::string name;
    Place place;
};

struct Assignment {
    std::vector<Part> path;
    TomlNode value;
};

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool ends_name(char c) {
    return is_blank(c) || c == '.' || c == '=' || c == '\n';
}

// Reads the path up to the '='; `at` ends on it.
class PathReader {
public:
    PathReader(std::string_view text, const SourceLines& lines) : text_(text), lines_(lines) {}

    Result<std::vector<Part>> read() {
        std::vector<Part> path;
        while (true) {
            skip_blanks();
            const std::size_t start = at_;
            std::optional<std::string> name = read_name();
            if (!name) {
                return malformed("the path of a --set must be names with '.' between them", start);
            }
            path.push_back({*std::move(name), place(start, at_)});
            skip_blanks();
            if (at_ == text_.size()) {
                return malformed("a --set needs a '=' between the path and the value", text_.size());
            }
            if (text_[at_] == '=') {
                return path;
            }
            if (text_[at_] != '.') {
                return malformed("the path of a --set must be names with '.' between them", at_);
            }
            ++at_;
        }
    }

    [[nodiscard]] std::size_t at() const { return at_; }

private:
    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
    }

    std::optional<std::string> read_name() {
        const std::size_t start = at_;
        if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
            const std::size_t end = text_.find(text_[at_], at_ + 1);
            if (end == std::string_view::npos ||
                text_.substr(start, end - start).find('\n') != std::string_view::npos) {
                return std::nullopt;
            }
            at_ = end + 1;
            return std::string(text_.substr(start + 1, end - start - 1));
        }
        while (at_ < text_.size() && !ends_name(text_[at_])) {
            ++at_;
        }
        return at_ == start ? std::nullopt : std::optional(std::string(text_.substr(start, at_ - start)));
    }

    [[nodiscard]] Place place(std::size_t begin, std::size_t end) const {
        const std::size_t column = count_code_points(text_.substr(0, begin)) + 1;
        const std::size_t length = std::max<std::size_t>(1, count_code_points(text_.substr(begin, end - begin)));
        return place_in(lines_, 1, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(length));
    }

    [[nodiscard]] Problem malformed(std::string sentence, std::size_t at) const {
        return input_problem(std::move(sentence), place(at, at), "write --set table.key=VALUE");
    }

    std::string_view text_;
    const SourceLines& lines_;
    std::size_t at_ = 0;
};

Result<Assignment> parse_override(const Override& given) {
    const std::string_view text = given.text;
    const SourceLines lines(text, given.option);
    if (!is_utf8(text)) {
        return input_problem("a --set must be UTF-8", place_in(lines, 1, 1, 0));
    }
    PathReader reader(text, lines);
    Result<std::vector<Part>> path = reader.read();
    if (!path) {
        return path.error();
    }
    std::size_t value_at = reader.at() + 1;
    while (value_at < text.size() && is_blank(text[value_at])) {
        ++value_at;
    }
    // The value under a key as long as what stands before it, so that its places have the columns of the typed text.
    const std::size_t before = count_code_points(text.substr(0, value_at));
    const std::string probe = "k" + std::string(before - 2, ' ') + "=" + std::string(text.substr(value_at));
    Assignment out{.path = std::move(*path), .value = {}};
    const Result<TomlTable> parsed = parse_toml(probe, given.option);
    if (parsed && parsed->entries.size() == 1) {
        out.value = parsed->entries[0].node;
    } else {
        out.value.value = std::string(text.substr(value_at));
        out.value.bare = true;
        out.value.place = place_in(lines, 1, static_cast<std::uint32_t>(before + 1), 0);
    }
    return out;
}

// The probe is not what was typed: every place shows the typed text.
void show_typed(TomlNode& node, const SourceLines& lines) {
    for (Place* place : {&node.place, &node.key_place}) {
        if (!place->file.empty()) {
            *place = place_in(lines, place->line, place->column, place->length);
        }
    }
    if (auto* table = std::get_if<TomlTable>(&node.value)) {
        for (TomlEntry& entry : table->entries) {
            show_typed(entry.node, lines);
        }
    } else if (auto* list = std::get_if<std::vector<TomlNode>>(&node.value)) {
        for (TomlNode& element : *list) {
            show_typed(element, lines);
        }
    }
}

std::string joined(const std::vector<Part>& path, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += (i == 0 ? "" : ".") + path[i].name;
    }
    return out;
}

Result<TomlNode*> element_of(std::vector<TomlNode>& list, const std::vector<Part>& path, std::size_t depth) {
    const std::string& name = path[depth].name;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc{} || end != name.data() + name.size() || index >= list.size()) {
        const std::string range =
            list.empty() ? "is empty" : "has the elements 0 to " + std::to_string(list.size() - 1);
        return input_problem("'" + name + "' is no element of " + joined(path, depth) + ", which " + range,
                             path[depth].place);
    }
    return &list[index];
}

// The node that path[depth] names inside `parent`, made as a table where the parent is a table without it.
Result<TomlNode*> descend(TomlNode& parent, const std::vector<Part>& path, std::size_t depth) {
    if (auto* table = std::get_if<TomlTable>(&parent.value)) {
        const Part& part = path[depth];
        TomlNode* node = table->find(part.name);
        return node ? node
                    : &table->put(part.name,
                                  TomlNode{.value = TomlTable{}, .place = part.place, .key_place = part.place});
    }
    if (auto* list = std::get_if<std::vector<TomlNode>>(&parent.value)) {
        return element_of(*list, path, depth);
    }
    Problem problem = input_problem(joined(path, depth) + " is " + std::string(phrase_of(parent)) + ", so that '" +
                                        path[depth].name + "' cannot be set in it",
                                    path[depth].place);
    problem.also.push_back(parent.place);
    return problem;
}

}  // namespace

std::vector<Override> given_by_set(std::span<const std::string> texts) {
    std::vector<Override> out;
    for (const std::string& text : texts) {
        out.push_back({text, "--set #" + std::to_string(out.size() + 1)});
    }
    return out;
}

Status apply_override(TomlTable& root, const Override& value) {
    Result<Assignment> parsed = parse_override(value);
    if (!parsed) {
        return parsed.error();
    }
    show_typed(parsed->value, SourceLines(value.text, value.option));
    parsed->value.key_place = parsed->path.back().place;
    TomlNode top{.value = std::move(root), .place = {}, .key_place = {}};
    TomlNode* node = &top;
    Status status;
    for (std::size_t depth = 0; depth < parsed->path.size() && status; ++depth) {
        Result<TomlNode*> next = descend(*node, parsed->path, depth);
        if (next) {
            node = *next;
        } else {
            status = next.error();
        }
    }
    if (status) {
        *node = std::move(parsed->value);
    }
    root = std::move(std::get<TomlTable>(top.value));
    return status;
}

}  // namespace tenon
