// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "config/manifest/value.hpp"
#include "config/option/schema.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {

const TomlNode* TomlTable::find(std::string_view key) const {
    const auto at =
        std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& entry) { return entry.key == key; });
    return at == entries.end() ? nullptr : &at->node;
}

TomlNode* TomlTable::find(std::string_view key) {
    return const_cast<TomlNode*>(std::as_const(*this).find(key));
}

TomlNode& TomlTable::put(std::string key, TomlNode node) {
    if (TomlNode* existing = find(key)) {
        return *existing = std::move(node);
    }
    entries.push_back({std::move(key), std::move(node)});
    return entries.back().node;
}

bool TomlNode::is_table_list() const {
    const auto is_table = [](const TomlNode& element) { return element.table() != nullptr; };
    return list() && !list()->empty() && std::all_of(list()->begin(), list()->end(), is_table);
}

std::string_view phrase_of(const TomlNode& node) {
    constexpr std::array<std::string_view, 6> kPhrases = {"a bool",   "an int", "a float",
                                                          "a string", "a list", "a table"};
    return kPhrases[node.value.index()];
}

std::string to_toml(const TomlNode& node) {
    if (const TomlTable* table = node.table()) {
        std::string out = "{";
        for (const TomlEntry& entry : table->entries) {
            out += (out.size() == 1 ? " " : ", ") + toml_key(entry.key) + " = " + to_toml(entry.node);
        }
        return out + (out.size() == 1 ? "}" : " }");
    }
    if (const std::vector<TomlNode>* list = node.list()) {
        return "[" + listed(*list, [](const TomlNode& element) { return to_toml(element); }) + "]";
    }
    return to_toml(scalar_of(node).value_or(false));
}

std::string to_json(const TomlNode& node) {
    std::string out;
    JsonWriter json(out);
    if (const TomlTable* table = node.table()) {
        for (const TomlEntry& entry : table->entries) {
            std::string key;
            JsonWriter(key).text(entry.key);
            out += (out.empty() ? "" : ",") + key + ":" + to_json(entry.node);
        }
        return "{" + out + "}";
    }
    if (const std::vector<TomlNode>* list = node.list()) {
        for (const TomlNode& element : *list) {
            out += (out.empty() ? "" : ",") + to_json(element);
        }
        return "[" + out + "]";
    }
    if (const auto* flag = std::get_if<bool>(&node.value)) {
        json.boolean(*flag);
    } else if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
        json.integer(*whole);
    } else if (const auto* real = std::get_if<double>(&node.value)) {
        if (!std::isfinite(*real)) {
            return std::isnan(*real) ? "NaN" : *real > 0 ? "Infinity" : "-Infinity";
        }
        json.number(*real);
    } else {
        json.text(std::get<std::string>(node.value));
    }
    return out;
}

void merge(TomlTable& base, TomlTable over) {
    for (TomlEntry& entry : over.entries) {
        TomlNode* existing = base.find(entry.key);
        TomlTable* below = existing ? std::get_if<TomlTable>(&existing->value) : nullptr;
        TomlTable* above = std::get_if<TomlTable>(&entry.node.value);
        if (below && above) {
            existing->place = std::move(entry.node.place);
            existing->key_place = std::move(entry.node.key_place);
            merge(*below, std::move(*above));
        } else {
            base.put(std::move(entry.key), std::move(entry.node));
        }
    }
}

}  // namespace tenon
