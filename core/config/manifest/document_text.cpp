// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/document_text.hpp"

#include <cstddef>

#include "config/option/toml_text.hpp"

namespace tenon {

namespace {

bool is_inside(const std::string& path) {
    return !path.empty();
}

// Values of options that are tables ({ from = 1.0, to = 0.0 }) are on one line; tables of tables are not.
bool has_heading(const TomlNode& node, const std::string& parent) {
    if (node.is_table_list()) {
        return true;
    }
    const TomlTable* const table = node.table();
    return table != nullptr && (!is_inside(parent) || parent == "policy" || parent == "buffer" ||
                                parent == "optimiser" || (parent == "eval" && table->find("plugin") != nullptr));
}

void write(std::string& out, const TomlTable& table, const std::string& path, const std::string& heading) {
    bool begun = heading.empty();
    const auto begin = [&] {
        if (!begun) {
            out += (out.empty() ? "" : "\n") + heading + "\n";
            begun = true;
        }
    };
    for (const TomlEntry& entry : table.entries) {
        if (!has_heading(entry.node, path)) {
            begin();
            out += toml_key(entry.key) + " = " + to_toml(entry.node) + "\n";
        }
    }
    // A table that has only tables needs no heading.
    bool only_tables = !table.entries.empty();
    for (const TomlEntry& entry : table.entries) {
        only_tables = only_tables && has_heading(entry.node, path);
    }
    if (!only_tables) {
        begin();
    }
    for (const TomlEntry& entry : table.entries) {
        if (!has_heading(entry.node, path)) {
            continue;
        }
        const std::string below = (is_inside(path) ? path + "." : "") + toml_key(entry.key);
        if (const TomlTable* const inner = entry.node.table()) {
            write(out, *inner, below, "[" + below + "]");
            continue;
        }
        for (const TomlNode& element : *entry.node.list()) {
            write(out, *element.table(), below, "[[" + below + "]]");
        }
    }
}

}  // namespace

std::string document_text(const TomlTable& root) {
    std::string out;
    write(out, root, "", "");
    return out;
}

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
