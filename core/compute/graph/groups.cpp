// SPDX-License-Identifier: Apache-2.0
// Groups of agents. A component of a group is written for one agent: it reads the group's columns under their own keys,
// and without the agents' size. The size becomes a leading dimension, which pairs with others by name as rows do. What
// such a component writes becomes a column of the group again. Agents that come and go are in presence.cpp.
//
//     stored  agents.observation [B, 3, 18]  --group-->    observation [A(agents), B, 18]
//     action  [A(agents), L, 2]              --ungroup-->  agents.action [L, 3, 2]
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
std::string key_in_group(std::string_view group, std::string_view key) {
    const std::string now = join_keys(group, without_next(key));
    return is_next(key) ? next_key(now) : now;
}

std::optional<Dim> group_in(const Type& type) {
    const auto found = std::ranges::find_if(type.dims, is_group);
    return found == type.dims.end() ? std::nullopt : std::optional(*found);
}

// The column of the running function's group that has this key for one agent, or that "stored.KEY" names. Of another
// batch it has the batch's prefix: "expert.agents.observation". The rows of other batches say nothing of agents that
// come and go.
const Column* Builder::find_in_group(std::string_view key) const {
    const Unit* const unit = frames_.back().unit;
    if (unit == nullptr || unit->group.empty()) {
        return nullptr;
    }
    key.remove_prefix(key.starts_with(kStored) ? kStored.size() : 0);
    const Column* const own = find_column(key_in_group(unit->group, key));
    const std::size_t prefix = key.find('.') + 1;
    if (own != nullptr || prefix == 0 || find_column(join_keys(unit->group, kPresent)) != nullptr) {
        return own;
    }
    const Column* const other =
        find_column(std::string(key.substr(0, prefix)) + key_in_group(unit->group, key.substr(prefix)));
    return other != nullptr && other->spec.group == unit->group ? other : nullptr;
}

// The column's type for one agent of the group.
Type Builder::type_of_one(const Column& column, const std::string& group) {
    const auto found = std::ranges::find(*context_.groups, group, &Group::name);
    const bool of_group = !column.spec.group.empty();
    Type type = type_of(of_group                 ? spec_of_one(column)
                        : is_transformed(column) ? transformed_spec(column, 0)
                                                 : column.spec);
    const Dim agents = graph_.symbols.group(group, found->agents);
    const std::vector<Dim> leading = join_symbols(type.symbols(), std::span(&agents, 1));
    type.dims.erase(type.dims.begin(), type.dims.begin() + static_cast<std::ptrdiff_t>(type.symbol_count()));
    type.dims.insert(type.dims.begin(), leading.begin(), leading.end());
    return type;
}

// A group that has the column, for a message to a reader outside of the group; empty if there is none.
std::string Builder::group_with(std::string_view key) const {
    for (std::size_t i = 0; context_.groups != nullptr && i < context_.groups->size(); ++i) {
        const std::string& name = (*context_.groups)[i].name;
        if (find_column(key_in_group(name, key)) != nullptr) {
            return name;
        }
    }
    return {};
}

// The column's spec for one agent of the group. If bounds differ by agent, they are those of the first one.
Spec Builder::spec_of_one(const Column& column) {
    Spec spec = is_transformed(column) ? transformed_spec(column, 0) : column.spec;
    std::vector<std::int64_t> extents(spec.shape.extents().begin(), spec.shape.extents().end());
    if (column.agents_at < extents.size()) {
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(column.agents_at));
    }
    spec.shape = Shape(std::span<const std::int64_t>(extents));
    const auto elements = static_cast<std::size_t>(spec.shape.elements());
    spec.low.resize(std::min(spec.low.size(), elements));
    spec.high.resize(std::min(spec.high.size(), elements));
    spec.group.clear();
    return spec;
}

// The column with its group as a leading dimension.
ValueId Builder::by_agent(const Column& column, const std::string& group, std::uint32_t source) {
    const std::int64_t axis = static_cast<std::int64_t>(column.agents_at) - column.spec.shape.rank;
    Draft draft{&op_of(OpId::kGroup_1), {stored(column, source)}, {{"axis", axis}, {"name", group}}, source};
    return transformed(column, add(std::move(draft)).front(), source);
}

// The same with the agents as a size again, in its old place.
ValueId Builder::ungrouped(const Column& column, ValueId value, std::uint32_t source) {
    if (value == 0) {
        return 0;
    }
    const auto sizes = static_cast<std::int64_t>(graph_.type(value).sizes().size());
    const std::int64_t axis = static_cast<std::int64_t>(column.agents_at) - sizes - 1;
    return node(OpId::kUngroup_1, {value}, source, {{"axis", axis}, {"name", column.spec.group}});
}

// A value as a column: if it has one row for each agent of a group, it becomes a column of the group.
std::pair<std::string, ValueId> Builder::column_of(std::string key, ValueId value, std::uint32_t source) {
    const std::optional<Dim> group = value == 0 ? std::nullopt : group_in(graph_.type(value));
    if (!group) {
        return {std::move(key), value};
    }
    const std::string name = graph_.symbols.role(*group);
    const auto sizes = static_cast<std::int64_t>(graph_.type(value).sizes().size());
    Draft ungrouped{&op_of(OpId::kUngroup_1), {value}, {{"axis", -sizes - 1}, {"name", name}}, source};
    return {within(key, name) ? std::move(key) : join_keys(name, key), add(std::move(ungrouped)).front()};
}

// One value per row: the mean over the agents who are present, if there are any agents.
ValueId Builder::mean_over_agents(ValueId value, std::uint32_t source) {
    if (const ValueId present = present_for(value, source); present != 0) {
        const auto [of_present, share] = over_all(value, present, source);
        return quotient(mean_over_all_agents(of_present, source), mean_over_all_agents(share, source), source);
    }
    return mean_over_all_agents(value, source);
}

ValueId Builder::mean_over_all_agents(ValueId value, std::uint32_t source) {
    for (std::optional<Dim> group = group_in(graph_.type(value)); value != 0 && group;
         group = group_in(graph_.type(value))) {
        const std::string& name = graph_.symbols.role(*group);
        Draft last{&op_of(OpId::kUngroup_1), {value}, {{"axis", std::int64_t{-1}}, {"name", name}}, source};
        value = node(OpId::kMean_1, {add(std::move(last)).front()}, source, {{"axis", std::int64_t{-1}}});
    }
    return value;
}

// The dimension of the agents of the unit's group.
Dim Builder::agents_of(const Unit& unit) {
    const auto found = std::ranges::find(*context_.groups, unit.group, &Group::name);
    return graph_.symbols.group(unit.group, found->agents);
}

// The leading dimensions of the unit's parameters and states: its members, and its agents if each has its own.
std::vector<Dim> Builder::members_of(const Unit& unit) {
    std::vector<Dim> out;
    if (unit.members > 1) {
        out.push_back(graph_.symbols.members_of(unit.role, unit.members));
    }
    if (unit.own) {
        out.push_back(agents_of(unit));
    }
    return out;
}

}  // namespace tenon::graph
