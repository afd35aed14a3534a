// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/removal.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/key_path.hpp"

namespace tenon {
namespace {

using Positions = std::vector<std::size_t>;  // indices of entries, from the root downwards

Problem missing(const std::vector<KeyPart>& path, std::size_t depth, const TomlTable* table, std::string_view why_not,
                const Place& place) {
    std::string sentence = "'" + joined(path, path.size()) + "' cannot be removed: " + std::string(why_not);
    std::vector<std::string_view> existing;
    for (std::size_t i = 0; table != nullptr && i < table->entries.size(); ++i) {
        existing.push_back(table->entries[i].key);
    }
    if (const std::string_view best = nearest(path[depth].name, existing); !best.empty()) {
        std::vector<KeyPart> meant(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth));
        meant.push_back({.name = std::string(best)});
        const TomlNode* node = table->find(best);
        for (std::size_t i = depth + 1; i < path.size() && node != nullptr && node->table() != nullptr; ++i) {
            meant.push_back(path[i]);
            node = node->table()->find(path[i].name);
        }
        sentence += "; did you mean '" + joined(meant, meant.size()) + "'?";
    }
    return input_problem(std::move(sentence), place);
}

Result<Positions> find(const TomlTable& root, const std::vector<KeyPart>& path, std::string_view why_not,
                       const Place& place) {
    Positions out;
    const TomlTable* table = &root;
    const std::vector<TomlNode>* list = nullptr;
    for (std::size_t depth = 0; depth < path.size(); ++depth) {
        const TomlNode* node = nullptr;
        if (list != nullptr) {
            const std::size_t at = TENON_TRY(element_named(path[depth].name, *list, joined(path, depth), place));
            out.push_back(at);
            node = &(*list)[at];
        } else {
            node = table != nullptr ? table->find(path[depth].name) : nullptr;
            if (node == nullptr) {
                return missing(path, depth, table, why_not, place);
            }
            const auto same = [&](const TomlEntry& entry) { return &entry.node == node; };
            const auto at = std::ranges::find_if(table->entries, same);
            out.push_back(static_cast<std::size_t>(at - table->entries.begin()));
        }
        table = node->table();
        list = node->list();
    }
    return out;
}

template <class T>
void erase_at(std::vector<T>& all, std::size_t at) {
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
}

void erase(TomlTable& root, const Positions& at) {
    if (at.size() == 1) {
        erase_at(root.entries, at.front());
        return;
    }
    TomlNode* node = &root.entries[at.front()].node;
    for (std::size_t depth = 1;; ++depth) {
        auto* table = std::get_if<TomlTable>(&node->value);
        auto* list = std::get_if<std::vector<TomlNode>>(&node->value);
        if (depth + 1 == at.size()) {
            table != nullptr ? erase_at(table->entries, at[depth]) : erase_at(*list, at[depth]);
            return;
        }
        node = table != nullptr ? &table->entries[at[depth]].node : &(*list)[at[depth]];
    }
}

Problem wrong_type(std::string_view is, const Place& place) {
    return input_problem("remove must be a list of strings, but " + std::string(is), place,
                         "write remove = [\"train.clip_norm\"]");
}

}  // namespace

void remove_keys(TomlTable& root, const TomlNode& names, std::string_view why_not, Problems& problems) {
    const std::size_t before = problems.size();
    std::set<Positions, std::greater<>> found;  // last first, and inner ones before the outer ones
    const auto add = [&](const TomlNode& node, const std::string& is) {
        const auto* name = std::get_if<std::string>(&node.value);
        if (name == nullptr) {
            problems.push_back(wrong_type(is + std::string(phrase_of(node)), node.place));
            return;
        }
        const KeyPath path = read_key_path(*name);
        if (!path.is_whole || path.end != name->size()) {
            problems.push_back(input_problem(
                "a key to remove must be names with '.' between them, but one is '" + *name + "'", node.place));
            return;
        }
        Result<Positions> at = find(root, path.parts, why_not, node.place);
        if (is_done(at, problems)) {
            found.insert(std::move(*at));
        }
    };
    if (const std::vector<TomlNode>* list = names.list()) {
        for (const TomlNode& name : *list) {
            add(name, "one element is ");
        }
    } else {
        add(names, "is ");
    }
    for (const Positions& at : problems.size() == before ? found : decltype(found)()) {
        erase(root, at);
    }
}

}  // namespace tenon
