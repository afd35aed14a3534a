// SPDX-License-Identifier: Apache-2.0
#include "train/plan/stand_ins.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/builder.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Columns that the host itself reads and applies to whole rows and sequences.
constexpr auto kOfHost = std::to_array<std::string_view>({"is_init", "mask", "weight", kNextDone});

// The objective's own name, or "ppo" of "ppo/ppo".
std::string_view name_of(const ObjectivePlan& plan) {
    const std::string_view component = plan.unit.component;
    return plan.name.empty() ? component.substr(component.find('/') + 1) : std::string_view(plan.name);
}

std::string_view role_of(const StandInTable& table) {
    return std::string_view(table.of).substr(0, table.of.find('.'));
}
std::string_view function_of(const StandInTable& table) {
    return std::string_view(table.of).substr(table.of.find('.') + 1);
}

// Why the function cannot be a stand-in; empty if it can.
std::string fault_of(const Wiring& w, const StandInTable& table) {
    if (std::ranges::find(kOfHost, table.key) != kOfHost.end()) {
        return "is a stand-in for '" + table.key + "', which the host itself reads" +
               (table.key == kNextDone ? "; give one for 'next.terminated' or 'next.truncated'" : "");
    }
    const std::string role(role_of(table));
    const auto unit = std::ranges::find(w.networks, role, &graph::Unit::role);
    if (unit == w.networks.end()) {
        const auto roles = mapped<std::string_view>(w.networks, &graph::Unit::role);
        return "names the network '" + role + "', but the manifest has no [policy." + role + "] that is a graph" +
               did_you_mean(role, roles);
    }
    const std::vector<std::string_view> functions = graph::column_functions(*unit);
    if (std::ranges::find(functions, function_of(table)) == functions.end()) {
        return "is '" + table.of + "', but " + unit->component + " has no function '" +
               std::string(function_of(table)) + "' without inputs and with one output" +
               (functions.empty() ? "" : "; it has " + listed(functions));
    }
    return "";
}

// Why no objective reads a column with this key. A component of a group reads the group's column instead of that of all
// agents, unless a network of the group stands in for it.
std::string why_not_read(const Wiring& w, const StandInTable& table) {
    std::vector<std::string_view> known;
    for (const ObjectivePlan& plan : w.objectives) {
        for (const graph::Column& column : plan.columns) {
            const std::string& group = column.spec.group;
            if (!group.empty() && plan.unit.group == group &&
                column.spec.key == graph::key_in_group(group, table.key)) {
                return plan.unit.component + ", which is of the group '" + group + "', reads '" + column.spec.key + "'";
            }
            known.emplace_back(column.spec.key);
        }
    }
    const bool is_column = std::ranges::find(known, table.key) != known.end();
    return "no objective reads '" + table.key + "'" + (is_column ? "" : did_you_mean(table.key, known));
}

// Reports names that no objective has.
void check_names(const Wiring& w, const StandInTable& table, Problems& problems) {
    auto known = mapped<std::string_view>(w.objectives, [&](const ObjectivePlan& plan) { return name_of(plan); });
    for (const std::string& wanted : table.objectives) {
        if (std::ranges::find(known, wanted) == known.end()) {
            problems.push_back(input_problem("columns." + table.key + " is for the objective '" + wanted +
                                                 "', but the manifest has only " + listed(known) +
                                                 did_you_mean(wanted, known),
                                             table.place));
        }
    }
}

}  // namespace

void check_stand_ins(const Wiring& w, Problems& problems) {
    if (w.manifest.objectives.empty()) {
        return;  // [columns] is refused
    }
    for (const StandInTable& table : w.manifest.columns) {
        if (const std::string fault = fault_of(w, table); !fault.empty()) {
            problems.push_back(input_problem("columns." + table.key + " " + fault, table.place));
        }
        check_names(w, table, problems);
    }
}

std::vector<graph::StandIn> stand_ins_of(const Wiring& w, const ObjectivePlan& plan) {
    std::vector<graph::StandIn> out;
    for (const StandInTable& table : w.manifest.columns) {
        const bool wanted =
            table.objectives.empty() || std::ranges::find(table.objectives, name_of(plan)) != table.objectives.end();
        if (wanted && fault_of(w, table).empty()) {
            out.push_back({.key = table.key,
                           .role = std::string(role_of(table)),
                           .function = std::string(function_of(table)),
                           .place = table.place});
        }
    }
    return out;
}

void check_stand_ins_are_read(const Wiring& w, const std::set<std::string>& read, Problems& problems) {
    for (const StandInTable& table : w.manifest.columns) {
        if (!read.contains(table.key)) {
            problems.push_back(
                input_problem("columns." + table.key + " has no effect: " + why_not_read(w, table), table.place));
        }
    }
}

}  // namespace tenon
