// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/table_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "config/manifest/value.hpp"
#include "config/option/byte_size.hpp"

namespace tenon {

TableReader::TableReader(Manifest& manifest, Problems& problems, const TableSchema& schema, const FoundTable& found,
                         const std::vector<std::string_view>& read_by_others, bool defaults)
    : manifest_(manifest), problems_(problems), schema_(schema), found_(found), values_(schema.keys.size()) {
    read_keys(defaults);
    read_others(read_by_others);
}

void TableReader::read_keys(bool defaults) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const OptionSchema& key = schema_.keys[i];
        const std::string path = path_of(found_.path, key.name);
        const TomlNode* node = found_.table ? found_.table->find(key.name) : nullptr;
        if (defaults && key.standard) {
            values_[i] = key.standard;
        }
        if (!node) {
            if (defaults && !key.standard && !key.optional && !found_.broken) {
                problems_.push_back(missing_problem(key, path, found_.place));
            }
            continue;
        }
        manifest_.given[path] = node->place;
        Result<OptionValue> read = read_value(key, *node, path);
        if (is_done(read, problems_)) {
            values_[i] = std::move(*read);
        } else {
            manifest_.refused.insert(path);
        }
    }
}

void TableReader::read_others(const std::vector<std::string_view>& read_by_others) {
    std::vector<std::string_view> known = read_by_others;
    for (const OptionSchema& key : schema_.keys) {
        known.push_back(key.name);
    }
    if (!found_.table) {
        return;
    }
    for (const TomlEntry& entry : found_.table->entries) {
        if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
            continue;
        }
        if (schema_.component) {
            manifest_.given[path_of(found_.path, entry.key)] = entry.node.place;
            options_.push_back({entry.key, entry.node});
        } else {
            problems_.push_back(unknown_key_problem(found_.path, entry.key, entry.node, known));
        }
    }
}

ComponentTable TableReader::component() const {
    const OptionValue* plugin = value("plugin");
    ComponentRef ref{.plugin = plugin ? std::get<std::string>(*plugin) : std::string{},
                     .place = place_of(manifest_, path_of(found_.path, "plugin"))};
    if (plugin != nullptr && ref.plugin.empty()) {
        problems_.push_back(
            input_problem(path_of(found_.path, "plugin") + " is empty", ref.place,
                          "components are named 'library/component'; `tenon list` shows all components"));
    }
    const OptionValue* const isolation = value("isolation");
    const OptionValue* const group = value("group");
    return {.path = found_.path,
            .schema = schema_.name,
            .ref = std::move(ref),
            .isolation = isolation ? std::optional(std::get<std::string>(*isolation)) : std::nullopt,
            .group = group ? std::get<std::string>(*group) : std::string(),
            .options = options_,
            .place = found_.place};
}

void TableReader::take(std::string_view name, Capacity& field) const {
    const OptionValue* const found = value(name);
    if (const auto* const size = found == nullptr ? nullptr : std::get_if<std::string>(found)) {
        field = {.frames = 0, .bytes = parse_byte_size(*size).value_or(0), .size = *size};
    } else if (found != nullptr) {
        field = {.frames = std::get<std::int64_t>(*found), .bytes = 0, .size = {}};
    }
}

const OptionValue* TableReader::value(std::string_view name) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (schema_.keys[i].name == name) {
            return values_[i] ? &*values_[i] : nullptr;
        }
    }
    return nullptr;
}

FoundTable find_table(Manifest& manifest, Problems& problems, const FoundTable& parent, std::string_view name) {
    const TomlNode* node = parent.table ? parent.table->find(name) : nullptr;
    if (!node) {
        return {.path = path_of(parent.path, name), .table = nullptr, .place = parent.place, .broken = parent.broken};
    }
    return as_table(manifest, problems, path_of(parent.path, name), *node);
}

FoundTable as_table(Manifest& manifest, Problems& problems, std::string path, const TomlNode& node) {
    manifest.given[path] = node.place;
    if (!node.table()) {
        problems.push_back(
            input_problem(path + " must be a table, but is " + std::string(phrase_of(node)), node.place));
    }
    return {.path = std::move(path), .table = node.table(), .place = node.place, .broken = !node.table()};
}

bool has_only_tables(const FoundTable& found) {
    return found.table != nullptr && !found.table->entries.empty() && found.table->find("plugin") == nullptr &&
           std::ranges::all_of(found.table->entries, [](const TomlEntry& entry) { return entry.node.table(); });
}

std::vector<FoundTable> tables_of_list(Manifest& manifest, Problems& problems, std::string_view schema,
                                       const std::string& path, const TomlNode& node) {
    std::vector<FoundTable> out;
    manifest.given[path] = node.place;
    if (!node.list()) {
        problems.push_back(input_problem(path + " must be a list of tables, but is " + std::string(phrase_of(node)),
                                         node.place, "write [[" + std::string(schema) + "]]"));
        return out;
    }
    for (std::size_t i = 0; i < node.list()->size(); ++i) {
        out.push_back(as_table(manifest, problems, path_of(path, std::to_string(i)), (*node.list())[i]));
    }
    return out;
}

bool read_components(Manifest& manifest, Problems& problems, std::string_view schema, const FoundTable& found,
                     std::string_view key, std::vector<ComponentTable>& out) {
    const TomlNode* const list = found.table != nullptr ? found.table->find(key) : nullptr;
    const std::string name = path_of(schema, key);
    for (const FoundTable& own : list == nullptr
                                     ? std::vector<FoundTable>()
                                     : tables_of_list(manifest, problems, name, path_of(found.path, key), *list)) {
        out.push_back(TableReader(manifest, problems, table_schema(name), own).component());
    }
    return list != nullptr;
}

bool check_name(const std::string& path, std::string_view name, const Place& place, Problems& problems) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), is_plain);
    if (!plain) {
        problems.push_back(input_problem("a name in [" + path +
                                             "] may have only letters, digits, '_' and '-', but one is '" +
                                             std::string(name) + "'",
                                         place));
    }
    return plain;
}

std::string path_of(std::string_view parent, std::string_view name) {
    return parent.empty() ? std::string(name) : std::string(parent) + "." + std::string(name);
}

}  // namespace tenon
