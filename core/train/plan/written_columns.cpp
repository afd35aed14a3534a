// SPDX-License-Identifier: Apache-2.0
#include "train/plan/written_columns.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "train/plan/acting_units.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

using graph::Column;
using graph::Dim;
using graph::Graph;
using graph::Kind;
using graph::Type;
using graph::Unit;
using graph::ValueId;

// The value written to an action's column must match the env's spec.
void check_action(const Graph& graph, ValueId action, const Unit& unit, const Spec& spec, Problems& problems) {
    Type wanted{is_float(spec.dtype)         ? Kind::kReal
                : spec.dtype == DType::kBool ? Kind::kBool
                                             : Kind::kInt,
                {graph::kLanes}};
    const auto extents = spec.shape.extents();
    wanted.dims.insert(wanted.dims.end(), extents.begin(), extents.end());
    if (action != 0 && graph.type(action) != wanted) {
        const std::string what = spec.key == "action" ? "an action" : "'" + spec.key + "', an action,";
        problems.push_back(input_problem(unit.component + " gives " + what + " of " +
                                             graph.symbols.text(graph.type(action)) + ", but the env takes " +
                                             to_string(spec),
                                         unit.place));
    }
}

// A network of another group than the unit, if agents of that group are a dimension of the type.
const Unit* of_other_group(const Graph& graph, const Type& type, const Unit& unit, const std::vector<Unit>& networks) {
    const auto is_other = [&](const Unit& network) {
        return network.group != unit.group && std::ranges::any_of(type.symbols(), [&](Dim dim) {
                   return graph::is_group(dim) && graph.symbols.role(dim) == network.group;
               });
    };
    const auto found = std::ranges::find_if(networks, is_other);
    return found == networks.end() ? nullptr : &*found;
}

Problem other_group(const std::vector<std::string>& misfits, const Unit& unit, const Unit& other) {
    Problem out = input_problem(
        unit.component + " is of " + (unit.group.empty() ? "no group" : "the group '" + unit.group + "'") +
            ", but [policy." + other.role + "] is of the group '" + other.group + "', so it would write " +
            listed(misfits) + ", which is not one row each; set the same group in both tables",
        unit.place);
    out.also.push_back(other.place);
    return out;
}

// Actions of one group, or of none, that no policy gives.
Problem not_given(const std::vector<ActingUnit>& acting, const std::vector<Unit>& networks, const std::string& group,
                  const std::vector<std::string>& actions) {
    const Unit& policy = *acting.front().policy;
    const std::string what =
        listed(actions, [](const std::string& key) { return "'" + key + "'"; }) +
        (actions.size() == 1 ? ", which is an action of the env" : ", which are actions of the env");
    if (group.empty()) {
        return input_problem(
            policy.component + " does not give " + what + "; a policy must give each action as an output of that name",
            policy.place);
    }
    // Another network of a group that has one: its group is probably a mistake.
    for (const Unit& spare : networks) {
        const auto has_its_group = [&](const ActingUnit& one) { return one.policy->group == spare.group; };
        const auto first = std::ranges::find_if(acting, has_its_group);
        if (acts_with_action(spare) && !spare.group.empty() && first != acting.end() && first->policy != &spare) {
            Problem out = input_problem("no policy gives " + what + ", but [policy." + first->policy->role +
                                            "] and [policy." + spare.role + "] are both for the group '" + spare.group +
                                            "': set group = \"" + group + "\" in one of them",
                                        policy.place);
            out.also.push_back(spare.place);
            return out;
        }
    }
    return input_problem("no policy gives " + what + ": [policy." + policy.role + "] acts for " +
                             (policy.group.empty() ? "no group" : "the group '" + policy.group + "'") +
                             "; add a [policy.NAME] with group = \"" + group + "\"",
                         policy.place);
}

}  // namespace

Spec computed_spec(const Port& port, Role role) {
    Spec out;
    out.key = port.key;
    out.role = role;
    out.dtype = port.dtype;
    out.shape = port.row;
    return out;
}

bool check_writes(const Graph& graph, std::span<const graph::Named> writes, const std::vector<Dim>& leading,
                  const Unit& unit, const std::vector<Unit>& networks, Problems& problems) {
    std::vector<std::string> misfits;
    const Unit* other = nullptr;
    for (const graph::Named& write : writes) {
        const Type& type = graph.type(write.value);
        const auto strange = [&](Dim dim) { return std::ranges::find(leading, dim) == leading.end(); };
        if (write.value != 0 && std::ranges::any_of(type.symbols(), strange)) {
            misfits.push_back("'" + write.name + "' as " + graph.symbols.text(type));
            other = other == nullptr ? of_other_group(graph, type, unit, networks) : other;
        } else if (type.sizes().size() > kMaxSpecRank) {
            problems.push_back(plugin_problem(unit.component + " writes '" + write.name + "' as " +
                                                  graph.symbols.text(type) + ", but a column can have at most " +
                                                  std::to_string(kMaxSpecRank) + " sizes",
                                              unit.place));
        }
    }
    if (other != nullptr) {
        problems.push_back(other_group(misfits, unit, *other));
    } else if (!misfits.empty()) {
        problems.push_back(input_problem(unit.component + " writes " + listed(misfits) +
                                             ", but a column has one row each: take the mean or the minimum over its "
                                             "members, or set the network's count to 1",
                                         unit.place));
    }
    return misfits.empty();
}

std::vector<graph::Named> pieces_of(graph::Builder& builder, ValueId action, const Unit& unit, Problems& problems) {
    const auto parts = builder.action_parts("action");
    std::vector<graph::Named> out = builder.cut_action("action", action);
    if (!parts.empty() && action != 0 && out.empty()) {
        std::string takes;
        for (const Column* part : parts) {
            takes += (takes.empty() ? "" : "; ") + to_string(part->spec);
        }
        const Graph& graph = builder.graph();
        problems.push_back(input_problem(unit.component + " gives an action of " +
                                             graph.symbols.text(graph.type(action)) +
                                             ", but the env takes the elements of several columns in one row: " + takes,
                                         unit.place));
    }
    return out;
}

void check_outputs(const Graph& graph, const std::vector<ActingUnit>& acting, const std::vector<Column>& columns,
                   Problems& problems) {
    for (auto write = graph.writes.begin(); write != graph.writes.end(); ++write) {
        const auto column = std::ranges::find_if(columns, [&](const Column& c) { return c.spec.key == write->name; });
        const bool taken =
            within(write->name, "next") || (column != columns.end() && column->spec.role != Role::kAction);
        const bool twice = std::ranges::find(graph.writes.begin(), write, write->name, &graph::Named::name) != write;
        const bool reserved = is_reserved(write->name);
        if (taken || twice || reserved) {
            const Unit& policy = *acting_for(acting, write->name).policy;
            problems.push_back(plugin_problem(policy.component + " writes the column '" + write->name +
                                                  "' while it acts, but " +
                                                  (taken   ? "the env also writes it"
                                                   : twice ? "it writes it twice"
                                                           : "its key is reserved for the host") +
                                                  "; give it another name",
                                              policy.place));
        }
    }
}

void check_actions(const Graph& graph, const std::vector<ActingUnit>& acting, bool explores,
                   const std::vector<Unit>& networks, const std::vector<Column>& columns, Problems& problems) {
    std::map<std::string, std::vector<std::string>> missing;  // by group
    for (const Column& column : columns) {
        if (column.spec.role != Role::kAction) {
            continue;
        }
        const auto written = std::ranges::find(graph.writes, column.spec.key, &graph::Named::name);
        if (written == graph.writes.end()) {
            missing[column.spec.group].push_back(column.spec.key);
            continue;
        }
        const ActingUnit& gives = acting_for(acting, column.spec.key);
        const bool is_explored = explores && gives.exploration != nullptr && column.spec.key == "action";
        check_action(graph, written->value, is_explored ? *gives.exploration : *gives.policy, column.spec, problems);
    }
    for (const auto& [group, actions] : missing) {
        problems.push_back(not_given(acting, networks, group, actions));
    }
}

}  // namespace tenon
