// SPDX-License-Identifier: Apache-2.0
// Reads one table of the document into its struct, according to its schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "config/manifest/tables.hpp"

namespace tenon {

// A table of the document, which may be absent.
struct FoundTable {
    std::string path;
    const TomlTable* table = nullptr;
    Place place;          // where a missing key is reported: the header, or the file
    bool broken = false;  // present but not a table, which has been reported
};

class TableReader {
public:
    // `read_by_others`: keys that another reader handles. With `defaults`, a missing key gets its default or is
    // reported if it has none; without it, a missing key is left unset.
    TableReader(Manifest& manifest, Problems& problems, const TableSchema& schema, const FoundTable& found,
                const std::vector<std::string_view>& read_by_others = {}, bool defaults = true);

    template <class T>
    void fill(T& table) const {
        each_field(table, [this](std::string_view name, auto& field) { this->take(name, field); });
    }

    // The table's plugin and its options, for tables of components.
    [[nodiscard]] ComponentTable component() const;

private:
    template <class T>
    void take(std::string_view name, T& field) const {
        if (const OptionValue* found = value(name)) {
            field = std::get<T>(*found);
        }
    }
    template <class T>
    void take(std::string_view name, std::optional<T>& field) const {
        if (const OptionValue* found = value(name)) {
            field = std::get<T>(*found);
        }
    }

    void take(std::string_view name, Capacity& field) const;

    [[nodiscard]] const OptionValue* value(std::string_view name) const;
    void read_keys(bool defaults);
    void read_others(const std::vector<std::string_view>& read_by_others);

    Manifest& manifest_;
    Problems& problems_;
    const TableSchema& schema_;
    const FoundTable& found_;
    std::vector<std::optional<OptionValue>> values_;  // one per key of the schema
    std::vector<GivenOption> options_;
};

// root[name] if it is a table; anything else is a problem. Records the header's place.
FoundTable find_table(Manifest& manifest, Problems& problems, const FoundTable& parent, std::string_view name);
FoundTable as_table(Manifest& manifest, Problems& problems, std::string path, const TomlNode& node);

// Whether the table has no plugin but tables of its own, each with a name: [buffer.NAME], [exploration.GROUP].
bool has_only_tables(const FoundTable& found);

// The tables of a list [[path]], which may be empty; anything else is a problem. `schema`: as it is written.
std::vector<FoundTable> tables_of_list(Manifest& manifest, Problems& problems, std::string_view schema,
                                       const std::string& path, const TomlNode& node);
// The components of the list `key` of a table, if it has this list; `schema`: of the table. Returns whether it has.
bool read_components(Manifest& manifest, Problems& problems, std::string_view schema, const FoundTable& found,
                     std::string_view key, std::vector<ComponentTable>& out);

// Names become parts of paths, columns and files.
bool check_name(const std::string& path, std::string_view name, const Place& place, Problems& problems);

// "policy.actor" from "policy" and "actor".
std::string path_of(std::string_view parent, std::string_view name);

}  // namespace tenon
