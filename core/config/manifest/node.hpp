// SPDX-License-Identifier: Apache-2.0
// A TOML document as a plain tree: what was written, in which order, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/problem.hpp"

namespace tenon {

struct TomlEntry;
struct TomlNode;

struct TomlTable {
    std::vector<TomlEntry> entries;

    [[nodiscard]] const TomlNode* find(std::string_view key) const;
    [[nodiscard]] TomlNode* find(std::string_view key);
    TomlNode& put(std::string key, TomlNode node);  // replaces a node with that key, or appends
};

struct TomlNode {
    std::variant<bool, std::int64_t, double, std::string, std::vector<TomlNode>, TomlTable> value;
    Place place;                                  // of the value; for a table, its header
    Place key_place;                              // of the last part of its key; elements of lists have none
    bool bare = false;                            // a --set value that is not TOML, kept as the string that was typed
    std::vector<std::string> further_lines = {};  // of a string on several lines, as Place::excerpt is of the first

    [[nodiscard]] const TomlTable* table() const { return std::get_if<TomlTable>(&value); }
    [[nodiscard]] const std::vector<TomlNode>* list() const { return std::get_if<std::vector<TomlNode>>(&value); }
    [[nodiscard]] bool is_table_list() const;  // [[name]], or an equivalent list of inline tables; not empty
};

struct TomlEntry {
    std::string key;
    TomlNode node;
};

// "an int", "a table": the value's type in messages.
std::string_view phrase_of(const TomlNode& node);

// The node as one line of TOML; tables become inline tables.
std::string to_toml(const TomlNode& node);

// As JSON on one line; floats that JSON lacks are Infinity, -Infinity and NaN.
std::string to_json(const TomlNode& node);

// Merges `over` into `base`: tables are merged key by key, anything else is replaced.
void merge(TomlTable& base, TomlTable over);

}  // namespace tenon
