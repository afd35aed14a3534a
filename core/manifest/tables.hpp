// SPDX-License-Identifier: Apache-2.0
// The manifest's own tables as data: what they may hold, and the text of docs/reference/manifest.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option/schema.hpp"

namespace tenon {

struct TableSchema {
    std::string name;     // "run", "env.transforms", "policy.NAME": capitals stand for a name of the user's
    std::string heading;  // as it is written: "[run]", "[[env.transforms]]"
    std::string help;
    bool component = false;  // has `plugin`; keys not listed here are options of the component
    std::vector<OptionSchema> keys;
};

// In the order of the reference page and of resolved manifests.
std::span<const TableSchema> manifest_tables();

// The tables that have such a key, for one that stands elsewhere: "[optimiser]", "[eval] and [log]"; empty where there
// are none or too many to help.
std::string homes_of(std::string_view key);

// The table of that name, which must exist.
const TableSchema& table_schema(std::string_view name);

}  // namespace tenon
