// SPDX-License-Identifier: Apache-2.0
#include "train/plan/option_homes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {
namespace {

// The tables of components with this option; empty if more than two have it, as a list of them would not help.
std::vector<std::string> tables_with(const std::string& option, const Parts& parts) {
    constexpr std::size_t kMost = 2;
    std::vector<std::string> out;
    each_part(parts, [&](const Part& part) {
        const auto is_it = [&](const OptionSchema& schema) { return schema.name == option; };
        const bool has = part.info.note != nullptr && std::ranges::any_of(part.schema(), is_it);
        if (has && std::ranges::find(out, part.table->path) == out.end()) {
            out.push_back(part.table->path);
        }
    });
    return out.size() > kMost ? std::vector<std::string>() : out;
}

// `parent`: the table of the key; empty: it is outside of any.
void name_homes_of(const TomlEntry& key, std::string_view parent, const Parts& parts, Problems& problems) {
    const std::string path = (parent.empty() ? "" : std::string(parent) + ".") + key.key;
    const std::string unknown = "unknown key '" + path + "'";
    const auto found =
        std::ranges::find_if(problems, [&](const Problem& problem) { return problem.sentence == unknown; });
    if (found == problems.end()) {
        return;
    }
    const std::vector<std::string> homes = tables_with(key.key, parts);
    if (homes.empty()) {
        return;
    }
    const std::string second = homes.size() > 1 ? " and [" + homes.back() + "]" : "";
    found->sentence = (parent.empty() ? "'" + path + "' is outside of any table" : unknown) + "; it is an option of [" +
                      homes.front() + "]" + second;
    found->help.clear();
}

}  // namespace

void name_option_homes(const Document& document, const Parts& parts, Problems& problems) {
    for (const TomlEntry& entry : document.root.entries) {
        if (entry.node.table() == nullptr) {
            name_homes_of(entry, {}, parts, problems);
            continue;
        }
        for (const TomlEntry& key : entry.node.table()->entries) {
            name_homes_of(key, entry.key, parts, problems);
        }
    }
}

}  // namespace tenon
