// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/error/listed.hpp"
#include "config/manifest/tables.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

Problem wrong_type(const OptionSchema& schema, const TomlNode& node, const std::string& path) {
    std::string is(phrase_of(node));
    std::string help;
    const std::string bare = node.bare ? std::get<std::string>(node.value) : "";
    if (node.bare) {
        is = "the text '" + bare + "'";
    }
    if (schema.type == OptionType::kBool) {
        help = "write true or false";
    } else if (node.bare) {
        const bool fits = schema.type == OptionType::kStrings && !bare.starts_with('[');
        help = fits ? "write a list in brackets: [" + toml_string(bare) + "]" : "";
    } else if (schema.type == OptionType::kString && !schema.choices.empty()) {
        help = "write " + either(schema.choices, toml_string);
    } else if (schema.type == OptionType::kString && !node.list() && !node.table()) {
        help = "write a string in quotes: " + to_toml(OptionValue(to_toml(node)));
    } else if (is_list(schema.type) && !node.list() && !node.table()) {
        help = "write a list in brackets: [" + to_toml(node) + "]";
    } else if (schema.type == OptionType::kTable) {
        help = "write [" + path + "] and its keys below, or { key = value } on one line";
    } else if (const auto* real = std::get_if<double>(&node.value);
               real && schema.type == OptionType::kInt && std::trunc(*real) == *real && std::abs(*real) < 0x1p53) {
        help = "write " + std::to_string(static_cast<std::int64_t>(*real));
    }
    return input_problem(path + " must be " + phrase_of(schema) + ", but is " + is, node.place, std::move(help));
}

// The schema's scalar value; nothing if the node is a list or a table.
Result<OptionValue> read_scalar(const OptionSchema& schema, const TomlNode& node, const std::string& path) {
    const std::optional<OptionValue> value = scalar_of(node);
    const OptionType type = value ? type_of(*value) : OptionType::kTable;
    const bool widens = schema.type == OptionType::kFloat && type == OptionType::kInt;
    const bool counts_bytes = schema.or_bytes && type == OptionType::kString;
    if (!value || (type != schema.type && !widens && !counts_bytes)) {
        return wrong_type(schema, node, path);
    }
    return placed(conform(schema, *value, path), node.place);
}

template <class T>
Result<OptionValue> read_list(const OptionSchema& schema, const std::vector<TomlNode>& list, const std::string& path) {
    OptionSchema element = schema;
    element.type = element_of(schema.type);
    std::vector<T> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const OptionValue value = TENON_TRY(read_scalar(element, list[i], path + "[" + std::to_string(i) + "]"));
        out.push_back(std::get<T>(value));
    }
    return OptionValue(std::move(out));
}

}  // namespace

std::optional<OptionValue> scalar_of(const TomlNode& node) {
    return std::visit(
        []<class T>(const T& value) -> std::optional<OptionValue> {
            if constexpr (std::is_constructible_v<OptionValue, T>) {
                return value;
            } else {
                return std::nullopt;
            }
        },
        node.value);
}

Result<OptionValue> read_value(const OptionSchema& schema, const TomlNode& node, const std::string& path) {
    if (schema.type == OptionType::kTable) {
        return node.table() ? Result<OptionValue>(OptionTable{.json = to_json(node), .toml = to_toml(node)})
                            : wrong_type(schema, node, path);
    }
    if (!is_list(schema.type)) {
        return read_scalar(schema, node, path);
    }
    if (!node.list()) {
        return wrong_type(schema, node, path);
    }
    switch (schema.type) {
        case OptionType::kInts:
            return read_list<std::int64_t>(schema, *node.list(), path);
        case OptionType::kFloats:
            return read_list<double>(schema, *node.list(), path);
        default:
            return read_list<std::string>(schema, *node.list(), path);
    }
}

Problem missing_problem(const OptionSchema& schema, const std::string& path, const Place& place) {
    return input_problem(path + " must be given", place, schema.help);
}

Problem unknown_key_problem(const std::string& parent, std::string_view key, const TomlNode& node,
                            const std::vector<std::string_view>& known) {
    const std::string path = parent.empty() ? std::string(key) : parent + "." + std::string(key);
    std::string suggestion = did_you_mean(key, known);
    std::string help;
    if (suggestion.empty()) {
        for (const std::string_view name : known) {
            help += (help.empty() ? "the known keys are " : ", ") + std::string(name);
        }
        std::vector<std::string_view> longer;  // every_frames, every_updates
        std::ranges::copy_if(known, std::back_inserter(longer),
                             [&](std::string_view name) { return name.starts_with(std::string(key) + "_"); });
        if (!longer.empty()) {
            const auto quoted = [](std::string_view name) { return "'" + std::string(name) + "'"; };
            suggestion = "; did you mean " + either(longer, quoted) + "?";
        } else if (const std::string owners = owners_of(key); !parent.empty() && !owners.empty()) {
            suggestion = "; it is a key of " + owners;
        }
        const auto is_it = [&](const TableSchema& schema) { return schema.name == key; };
        if (suggestion.empty() && !parent.empty() && std::ranges::any_of(manifest_tables(), is_it)) {
            suggestion = "; [" + std::string(key) + "] is a separate table, not part of [" + parent + "]";
        }
        if (key == "include" || key == "remove") {
            help = "write include and remove at the top of a file, before its first table";
        }
    }
    Problem out = input_problem("unknown key '" + path + "'" + suggestion, node.key_place, std::move(help));
    out.unknown_key = suggestion.empty() ? path : "";
    return out;
}

}  // namespace tenon
