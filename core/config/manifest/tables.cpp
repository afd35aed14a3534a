// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/tables.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>

namespace tenon {
namespace {

struct KeyRow {
    std::string_view name;
    OptionType type;
    bool has_default = false;
    double number = 0;           // the default of a bool, an int or a float
    std::string_view text = {};  // that of a string; lists are empty by default
    std::string_view range = {};
    std::string_view choices = {};  // with commas
    bool live = false;
    bool optional = false;
    bool or_bytes = false;
    std::string_view help;
};

struct TableRow {
    std::string_view name;
    std::string_view heading;
    bool component;
    std::span<const KeyRow> keys;
};

#include "config/manifest/generated/key_rows.inc"

OptionValue default_of(const KeyRow& row) {
    switch (row.type) {
        case OptionType::kBool:
            return row.number != 0;
        case OptionType::kInt:
            return static_cast<std::int64_t>(row.number);
        case OptionType::kFloat:
            return row.number;
        case OptionType::kString:
            return std::string(row.text);
        default:
            return std::vector<std::string>{};
    }
}

OptionSchema schema_of(const KeyRow& row) {
    OptionSchema out;
    out.name = row.name;
    out.type = row.type;
    out.range = row.range;
    out.help = row.help;
    out.live = row.live;
    out.or_bytes = row.or_bytes;
    out.optional = row.optional && !row.has_default;
    if (row.has_default) {
        out.standard = default_of(row);
    }
    for (const auto choice : std::views::split(row.choices, ',')) {
        out.choices.emplace_back(choice.begin(), choice.end());
    }
    return out;
}

std::vector<TableSchema> all() {
    std::vector<TableSchema> out;
    for (const TableRow& row : kTables) {
        TableSchema& table = out.emplace_back(std::string(row.name), std::string(row.heading), row.component);
        std::ranges::transform(row.keys, std::back_inserter(table.keys), schema_of);
    }
    return out;
}

}  // namespace

std::span<const TableSchema> manifest_tables() {
    static const std::vector<TableSchema> kTables = all();
    return kTables;
}

const TableSchema& table_schema(std::string_view name) {
    const std::span<const TableSchema> tables = manifest_tables();
    const auto at =
        std::find_if(tables.begin(), tables.end(), [&](const TableSchema& table) { return table.name == name; });
    assert(at != tables.end());
    return *at;
}

std::string owners_of(std::string_view key) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> owners;
    for (const TableSchema& schema : manifest_tables()) {
        const bool has = std::any_of(schema.keys.begin(), schema.keys.end(),
                                     [&](const OptionSchema& option) { return option.name == key; });
        const bool named =
            std::any_of(schema.name.begin(), schema.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        if (has && !named) {
            owners.push_back("[" + schema.name + "]");
        }
    }
    if (owners.size() > kMost) {  // then without tables of tables: lanes is of [env] and [eval]
        std::erase_if(owners, [](const std::string& owner) { return owner.find('.') != std::string::npos; });
    }
    std::string out;
    for (std::size_t i = 0; i < owners.size() && owners.size() <= kMost; ++i) {
        out += (i == 0 ? "" : i + 1 == owners.size() ? " and " : ", ") + owners[i];
    }
    return out;
}

}  // namespace tenon
