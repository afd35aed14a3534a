// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/override.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "config/manifest/excerpt.hpp"
#include "config/manifest/key_path.hpp"
#include "config/manifest/parse.hpp"
#include "config/manifest/utf8.hpp"

namespace tenon {
namespace {

struct Assignment {
    std::vector<KeyPart> path;
    std::vector<Place> places;  // one per part
    TomlNode value;
};

Place place_between(std::string_view text, const SourceLines& lines, std::size_t begin, std::size_t end) {
    const std::size_t column = count_code_points(text.substr(0, begin)) + 1;
    const std::size_t length = std::max<std::size_t>(1, count_code_points(text.substr(begin, end - begin)));
    return place_in(lines, 1, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(length));
}

// The path of a.b=VALUE; `value_at` is set to the start of the value.
Result<Assignment> parse_path(std::string_view text, const SourceLines& lines, std::size_t& value_at) {
    KeyPath path = read_key_path(text);
    if (!path.is_whole || path.end == text.size() || text[path.end] != '=') {
        const bool ends = path.is_whole && path.end == text.size();
        return input_problem(ends ? "a --set needs a '=' between the path and the value"
                                  : "the path of a --set must be names with '.' between them",
                             place_between(text, lines, path.end, path.end), "write --set table.key=VALUE");
    }
    value_at = std::min(text.find_first_not_of(" \t", path.end + 1), text.size());
    Assignment out{.path = std::move(path.parts), .places = {}, .value = {}};
    for (const KeyPart& part : out.path) {
        out.places.push_back(place_between(text, lines, part.begin, part.end));
    }
    return out;
}

// A value is parsed in an artificial text. This changes its places to the text that was typed, `shift` columns earlier.
void show_typed(TomlNode& node, const SourceLines& lines, std::uint32_t shift) {
    for (Place* place : {&node.place, &node.key_place}) {
        if (!place->file.empty()) {
            *place = place_in(lines, place->line, place->column - (place->line == 1 ? shift : 0), place->length);
        }
    }
    if (auto* table = std::get_if<TomlTable>(&node.value)) {
        for (TomlEntry& entry : table->entries) {
            show_typed(entry.node, lines, shift);
        }
    } else if (auto* list = std::get_if<std::vector<TomlNode>>(&node.value)) {
        for (TomlNode& element : *list) {
            show_typed(element, lines, shift);
        }
    }
}

Result<Assignment> parse_override(const Override& given) {
    const std::string_view text = given.text;
    const SourceLines lines(text, given.option);
    const std::string named = given.key.empty() ? "a --set" : given.option;
    if (!is_utf8(text)) {
        return input_problem(named + " must be UTF-8", place_in(lines, 1, 1, 0));
    }
    std::size_t value_at = 0;
    Result<Assignment> out = Assignment{.path = read_key_path(given.key).parts, .places = {}, .value = {}};
    out->places.assign(out->path.size(), place_in(lines, 1, 1, 0));
    if (given.key.empty()) {
        out = parse_path(text, lines, value_at);
    }
    if (!out) {
        return out;
    }
    // Puts the value after a key of the same length as the text before it, so that the columns are those of the typed
    // text.
    constexpr std::size_t kLeast = 2;
    const std::size_t before = count_code_points(text.substr(0, value_at));
    const std::size_t padded = std::max(before, kLeast);
    const std::string probe = "k" + std::string(padded - kLeast, ' ') + "=" + std::string(text.substr(value_at));
    Result<TomlTable> parsed = parse_toml(probe, given.option);
    if (parsed && parsed->entries.size() == 1) {
        out->value = std::move(parsed->entries[0].node);
        show_typed(out->value, lines, static_cast<std::uint32_t>(padded - before));
    } else {
        out->value.value = std::string(text.substr(value_at));
        out->value.bare = true;
        out->value.place = place_in(lines, 1, static_cast<std::uint32_t>(before + 1), 0);
    }
    out->value.key_place = out->places.back();
    return out;
}

// The node that part `depth` of the path names inside `parent`; a missing table is created.
Result<TomlNode*> descend(TomlNode& parent, const Assignment& to, std::size_t depth) {
    const KeyPart& part = to.path[depth];
    const Place& place = to.places[depth];
    if (auto* table = std::get_if<TomlTable>(&parent.value)) {
        TomlNode* node = table->find(part.name);
        return node ? node : &table->put(part.name, TomlNode{.value = TomlTable{}, .place = place, .key_place = place});
    }
    const std::string above = joined(to.path, depth);
    if (auto* list = std::get_if<std::vector<TomlNode>>(&parent.value)) {
        const Result<std::size_t> at = element_named(part.name, *list, above, place);
        return at ? Result<TomlNode*>(&(*list)[*at]) : at.error();
    }
    Problem problem = input_problem(
        above + " is " + std::string(phrase_of(parent)) + ", so '" + part.name + "' cannot be set in it", place);
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
    Assignment parsed = TENON_TRY(parse_override(value));
    TomlNode top{.value = std::move(root), .place = {}, .key_place = {}};
    TomlNode* node = &top;
    Status status;
    for (std::size_t depth = 0; depth < parsed.path.size() && status; ++depth) {
        Result<TomlNode*> next = descend(*node, parsed, depth);
        if (next) {
            node = *next;
        } else {
            status = next.error();
        }
    }
    if (status) {
        *node = std::move(parsed.value);
    }
    root = std::move(std::get<TomlTable>(top.value));
    return status;
}

}  // namespace tenon
