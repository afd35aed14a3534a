// SPDX-License-Identifier: Apache-2.0
// The permitted content of the manifest's own tables, as keys.toml defines it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/option/schema.hpp"

namespace tenon {

struct TableSchema {
    std::string name;        // "run", "env.transforms", "policy.NAME": capitals stand for a user's name
    std::string heading;     // as written: "[run]", "[[env.transforms]]"
    bool component = false;  // has `plugin`; all unlisted keys are options of the component
    std::vector<OptionSchema> keys = {};
};

// In the order of the reference page and of resolved manifests.
std::span<const TableSchema> manifest_tables();

// The tables with such a key, for messages about a misplaced key: "[optimiser]", "[eval] and [log]"; empty if there are
// none, or too many to be helpful.
std::string owners_of(std::string_view key);

// The table of that name, which must exist.
const TableSchema& table_schema(std::string_view name);

}  // namespace tenon
