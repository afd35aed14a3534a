// SPDX-License-Identifier: Apache-2.0
#include "graph/context.hpp"

namespace tenon::graph {

const tn_function* find_function(const Unit& unit, std::string_view name) {
    for (const tn_function* function : unit.functions) {
        if (function->name == name) {
            return function;
        }
    }
    return nullptr;
}

std::vector<std::string_view> split_names(const char* names) {
    std::vector<std::string_view> out;
    std::string_view rest = names == nullptr ? "" : names;
    while (!rest.empty()) {
        const std::size_t end = rest.find(' ');
        if (end != 0) {
            out.push_back(rest.substr(0, end));
        }
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return out;
}

std::string mark_of_column(std::string_view role, std::string_view key) {
    return "column\n" + std::string(role) + "\n" + std::string(key);
}

}  // namespace tenon::graph
