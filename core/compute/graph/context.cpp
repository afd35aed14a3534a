// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/context.hpp"

#include <algorithm>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/error_text.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon::graph {
namespace {

constexpr std::uint32_t kMostFunctions = 1024;

// What is wrong with the function, which must differ from those before it; empty if nothing is.
std::string function_defect(const tn_function* function, const std::vector<const tn_function*>& before) {
    if (function == nullptr || !inside(*function, &tn_function::outputs)) {
        return "one that is null or too short";
    }
    if (function->name == nullptr || !key_fault(function->name).empty()) {
        return "one whose name " + (function->name == nullptr ? "is null" : key_fault(function->name));
    }
    const std::string name = "'" + std::string(function->name) + "'";
    if (std::ranges::any_of(before,
                            [&](const tn_function* each) { return std::string_view(each->name) == function->name; })) {
        return name + " twice";
    }
    if (function->inputs == nullptr || function->outputs == nullptr) {
        return name + ", whose inputs or outputs are null";
    }
    const std::vector<std::string_view> outputs = split_names(function->outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string fault = key_fault(outputs[i]);
        const auto end = outputs.begin() + static_cast<std::ptrdiff_t>(i);
        if (!fault.empty() || std::find(outputs.begin(), end, outputs[i]) != end) {
            return name + ", whose output '" + std::string(outputs[i]) + "' " +
                   (fault.empty() ? "exists twice" : fault);
        }
    }
    return {};
}

}  // namespace

Result<std::vector<const tn_function*>> functions_of(const tn_graph_component_api& api, void* self,
                                                     const std::string& component, const Place& place) {
    const tn_function* const* list = nullptr;
    std::uint32_t count = 0;
    TENON_TRY(check_call(call_plugin(component, "functions", place, api.functions, self, &list, &count), component,
                         "functions", place));
    if (count > kMostFunctions || (list == nullptr && count > 0)) {
        return plugin_problem(component + " lists " + counted(count, "function") +
                                  (list == nullptr ? " at an address that is null"
                                                   : "; the maximum is " + std::to_string(kMostFunctions)),
                              place);
    }
    std::vector<const tn_function*> out;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (const std::string what = function_defect(list[i], out); !what.empty()) {
            return plugin_problem(repaired(component + " lists functions, among them " + what), place);
        }
        out.push_back(list[i]);
    }
    return out;
}

std::vector<std::string_view> column_functions(const Unit& unit) {
    std::vector<std::string_view> out;
    for (const tn_function* function : unit.functions) {
        if (split_names(function->inputs).empty() && split_names(function->outputs).size() == 1) {
            out.emplace_back(function->name);
        }
    }
    return out;
}

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

std::string mark_of_network(std::string_view role) {
    return "network " + std::string(role);
}

std::string mark_of_column(std::string_view role, std::string_view key) {
    return "column\n" + std::string(role) + "\n" + std::string(key);
}

}  // namespace tenon::graph
