// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/flatten.hpp"

#include <cstddef>

namespace tenon {
namespace {

void add(std::map<std::string, std::string>& out, const std::string& path, const TomlNode& node) {
    const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
    if (const TomlTable* table = node.table()) {
        for (const TomlEntry& entry : table->entries) {
            add(out, below(entry.key), entry.node);
        }
    } else if (node.is_table_list()) {
        for (std::size_t i = 0; i < node.list()->size(); ++i) {
            add(out, below(std::to_string(i)), (*node.list())[i]);
        }
    } else {
        out[path] = to_toml(node);
    }
}

}  // namespace

std::map<std::string, std::string> flatten(const Document& document) {
    std::map<std::string, std::string> out;
    for (const TomlEntry& entry : document.root.entries) {
        add(out, entry.key, entry.node);
    }
    return out;
}

}  // namespace tenon
