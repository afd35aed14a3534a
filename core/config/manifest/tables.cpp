// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/tables.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>

#include "config/manifest/table_keys.hpp"

namespace tenon {
namespace {

std::vector<TableSchema> all() {
    std::vector<TableSchema> out;
    for (const auto part : {tables::of_run, tables::of_acting, tables::of_learning, tables::of_records}) {
        std::ranges::move(part(), std::back_inserter(out));
    }
    for (TableSchema& table : out) {
        table.heading = table.heading.empty() ? "[" + table.name + "]" : table.heading;
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
