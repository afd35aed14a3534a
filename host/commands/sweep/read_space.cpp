// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/read_space.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manifest/key_path.hpp"
#include "config/manifest/value.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

constexpr double kLargestInteger = 1e15;  // which doubles still count

std::optional<double> number_of(const TomlNode& node) {
    if (const auto* const integer = std::get_if<std::int64_t>(&node.value)) {
        return static_cast<double>(*integer);
    }
    const auto* const value = std::get_if<double>(&node.value);
    return value != nullptr && std::isfinite(*value) ? std::optional(*value) : std::nullopt;
}

// One entry of the table.
class KeyReader {
public:
    KeyReader(const TomlEntry& entry, Problems& problems)
        : entry_(entry), name_("space." + toml_key(entry.key)), problems_(problems) {}

    void read(SweepFile& out) {
        const KeyPath path = read_key_path(entry_.key);
        if (!path.is_whole || path.end != entry_.key.size() || path.parts.size() < 2) {
            return refuse("must be a dotted key of the manifest in quotes, such as \"objective.gamma\"",
                          entry_.node.key_place);
        }
        const TomlTable* const table = entry_.node.table();
        if (table == nullptr) {
            return refuse("must be { values = [...] } or { min = ..., max = ... }", entry_.node.place);
        }
        SpaceKey key{.key = entry_.key, .values = {}, .place = entry_.node.key_place};
        Dimension dimension;
        const std::size_t before = problems_.size();
        if (const TomlNode* const values = table->find("values")) {
            check_keys(*table, {"values"});
            read_values(*values, key, dimension);
        } else {
            check_keys(*table, {"values", "min", "max", "scale", "type"});
            read_range(*table, dimension);
        }
        if (problems_.size() == before) {
            out.keys.push_back(std::move(key));
            out.space.push_back(dimension);
        }
    }

private:
    void refuse(const std::string& why, const Place& place) {
        problems_.push_back(input_problem(name_ + " " + why, place));
    }

    void check_keys(const TomlTable& table, const std::vector<std::string_view>& known) {
        for (const TomlEntry& entry : table.entries) {
            if (std::ranges::find(known, entry.key) == known.end()) {
                problems_.push_back(unknown_key_problem(name_, entry.key, entry.node, known));
            }
        }
    }

    void read_values(const TomlNode& values, SpaceKey& key, Dimension& dimension) {
        if (values.list() == nullptr || values.list()->empty()) {
            return refuse("needs a list of values that is not empty", values.place);
        }
        for (const TomlNode& value : *values.list()) {
            key.values.push_back(to_toml(value));
            if (std::ranges::count(key.values, key.values.back()) > 1) {
                refuse("has the value " + key.values.back() + " twice", value.place);
            }
        }
        dimension.choices = key.values.size();
    }

    // Whether the value is `second`; otherwise it must be `first`, which is also the default.
    bool is_second(const TomlTable& table, std::string_view key, std::string_view first, std::string_view second) {
        const TomlNode* const node = table.find(key);
        if (node == nullptr) {
            return false;
        }
        const auto* const word = std::get_if<std::string>(&node->value);
        if (word == nullptr || (*word != first && *word != second)) {
            refuse(std::string(key) + " must be " + toml_string(first) + " or " + toml_string(second) + ", but is " +
                       to_toml(*node),
                   node->place);
        }
        return word != nullptr && *word == second;
    }

    void read_range(const TomlTable& table, Dimension& dimension) {
        for (const auto& [name, member] : {std::pair{"min", &Dimension::min}, std::pair{"max", &Dimension::max}}) {
            const TomlNode* const node = table.find(name);
            if (node == nullptr) {
                return refuse("needs values, or min and max", entry_.node.key_place);
            }
            const std::optional<double> number = number_of(*node);
            if (!number) {
                return refuse(std::string(name) + " must be a finite number, but is " + to_toml(*node), node->place);
            }
            dimension.*member = *number;
        }
        dimension.log = is_second(table, "scale", "linear", "log");
        dimension.integer = is_second(table, "type", "float", "int");
        const Place& place = table.find("min")->place;
        if (dimension.min >= dimension.max) {
            refuse("needs a min below its max", place);
        } else if (dimension.log && dimension.min < (dimension.integer ? 1 : 0x1p-1022)) {
            refuse("has scale = \"log\", which needs a min above 0", place);
        } else if (dimension.integer &&
                   (dimension.min != std::round(dimension.min) || dimension.max != std::round(dimension.max) ||
                    std::max(std::abs(dimension.min), std::abs(dimension.max)) > kLargestInteger)) {
            refuse("has type = \"int\", which needs ints as min and max, at most 1e15", place);
        }
    }

    const TomlEntry& entry_;
    std::string name_;
    Problems& problems_;
};

}  // namespace

void read_space(const Document& document, SweepFile& out, Problems& problems) {
    const TomlNode* const node = document.root.find("space");
    if (node == nullptr || node->table() == nullptr || node->table()->entries.empty()) {
        problems.push_back(input_problem("[space] must be a table with the keys to vary",
                                         node != nullptr ? node->place : document.place,
                                         R"(write "objective.gamma" = { values = [0.9, 0.99] })"));
        return;
    }
    for (const TomlEntry& entry : node->table()->entries) {
        KeyReader(entry, problems).read(out);
    }
}

}  // namespace tenon
