// SPDX-License-Identifier: Apache-2.0
#include "train/plan/option_owners.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
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

}  // namespace

void name_option_owners(const Parts& parts, Problems& problems) {
    for (Problem& problem : problems) {
        const std::size_t dot = problem.unknown_key.rfind('.');
        const bool is_outside = dot == std::string::npos;
        const std::vector<std::string> owners =
            tables_with(is_outside ? problem.unknown_key : problem.unknown_key.substr(dot + 1), parts);
        if (problem.unknown_key.empty() || owners.empty()) {
            continue;
        }
        const std::string second = owners.size() > 1 ? " and [" + owners.back() + "]" : "";
        problem.sentence =
            (is_outside ? "'" + problem.unknown_key + "' is outside of any table" : std::move(problem.sentence)) +
            "; it is an option of [" + owners.front() + "]" + second;
        problem.help.clear();
    }
}

}  // namespace tenon
