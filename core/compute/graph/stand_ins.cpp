// SPDX-License-Identifier: Apache-2.0
// Stand-ins: a network's function replaces a column. A reader of the column, in any function and under any prefix, gets
// one value that is computed once, as if the objective itself had called the function on the present batch. Like a
// column, the value has no gradient. The stored values of the column are read as "stored.KEY".
//
// A column of a group has one value for each agent. Units of the group read the stand-in for "next.agents.reward" as
// their "next.reward", and so do they read one for "next.reward" by a network of their group, which knows its agents.
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
const StandIn* Builder::find_stand_in(std::string_view key) const {
    if (context_.stand_ins == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(*context_.stand_ins, key, &StandIn::key);
    return found == context_.stand_ins->end() ? nullptr : &*found;
}

// What stands in for the column of one agent of the running function's group.
const StandIn* Builder::find_stand_in_of_agent(std::string_view key) const {
    const Unit* const unit = frames_.back().unit;
    if (unit == nullptr || unit->group.empty()) {
        return nullptr;
    }
    if (const StandIn* const of_group = find_stand_in(key_in_group(unit->group, key))) {
        return of_group;
    }
    const StandIn* const same = find_stand_in(key);
    const auto by = [&](const Unit& network) { return network.role == same->role && network.group == unit->group; };
    return same != nullptr && std::ranges::any_of(*context_.networks, by) ? same : nullptr;
}

ValueId Builder::stood_in_by_agent(const StandIn& wanted, std::uint32_t source) {
    const std::string& group = frames_.back().unit->group;
    ValueId value = stand_in_value(wanted, source);
    if (value == 0) {
        return 0;
    }
    if (within(without_next(wanted.key), group) && !group_in(graph_.type(value))) {  // computed for all agents at once
        const Column* const column = find_column(wanted.key);
        const auto sizes = static_cast<std::int64_t>(graph_.type(value).sizes().size());
        const auto agents_at = static_cast<std::int64_t>(column == nullptr ? 0 : column->agents_at);
        value = node(OpId::kGroup_1, {value}, source, {{"axis", agents_at - sizes}, {"name", group}});
    }
    const ValueId present = value == 0 ? 0 : present_for(value, source);
    return present == 0 ? value : where_present(value, present, source);
}

// The stored column that "stored.KEY" names; of a group, find_in_group finds it.
const Column* Builder::find_stored(std::string_view key) const {
    return key.starts_with(kStored) ? find_column(key.substr(kStored.size())) : nullptr;
}

// The column's stand-in; nothing if it has none. If an end is computed, "next.done" uses it as well.
Builder::Values Builder::stood_in(const std::string& key, std::uint32_t source) {
    if (const StandIn* const wanted = find_stand_in(key)) {
        return {of_all_rows(*wanted, stand_in_value(*wanted, source), source)};
    }
    const bool ends = find_stand_in(kNextTerminated) != nullptr || find_stand_in(kNextTruncated) != nullptr;
    if (key != kNextDone || !ends) {
        return {};
    }
    Values either;
    for (const std::string_view end : {kNextTerminated, kNextTruncated}) {
        const StandIn* const wanted = find_stand_in(end);
        either.push_back(wanted != nullptr ? of_all_rows(*wanted, stand_in_value(*wanted, source), source)
                                           : read(*find_column(end), source));
    }
    const bool poisoned = std::ranges::find(either, ValueId{0}) != either.end();
    return poisoned ? Values(1) : add(Draft{&op_of(OpId::kOr_1), std::move(either), {}, source});
}

// The value of a stand-in under its own key. A column of a group has the agents as a size, for units of the group, too.
ValueId Builder::of_all_rows(const StandIn& wanted, ValueId value, std::uint32_t source) {
    const std::optional<Dim> agents = value == 0 ? std::nullopt : group_in(graph_.type(value));
    if (!agents) {
        return value;
    }
    const std::string group = graph_.symbols.role(*agents);
    const Column* const stored = find_column(wanted.key);
    if (within(without_next(wanted.key), group)) {
        const ValueId present = present_for(value, source);
        value = present == 0 ? value : where_present(value, present, source);
        return stored == nullptr ? column_of(wanted.key, value, source).second : ungrouped(*stored, value, source);
    }
    const Unit* const unit = frames_.back().unit;
    if (stored == nullptr || (unit != nullptr && unit->group == group)) {
        return value;
    }
    report_type(wanted, value, type_of(stored->spec), source);
    return read(*stored, source);
}

ValueId Builder::stand_in_value(const StandIn& wanted, std::uint32_t source) {
    if (const auto known = stood_in_.find(wanted.key); known != stood_in_.end()) {
        return known->second;
    }
    const auto unit = std::ranges::find(*context_.networks, wanted.role, &Unit::role);
    const std::string name = wanted.role + "." + wanted.function;
    if (is_running(*unit, wanted.function)) {
        fail(Fault::kInput,
             "it reads '" + wanted.key + "', for which " + name + " stands in, and " + name +
                 " is what is being computed; it can read the stored column, '" + std::string(kStored) + wanted.key +
                 "'",
             source);
        return 0;
    }
    const Frame& top = frames_.front();
    frames_.push_back(Frame{.unit = top.unit,
                            .function = top.function,
                            .slab = "live",
                            .mode = "eval",
                            .path = "columns",
                            .regions = open_regions_.size()});
    Draft asked{&op_of(OpId::kCall_1),
                {},
                {{"function", wanted.function},
                 {"mode", std::string()},
                 {"prefix", std::string()},
                 {"role", wanted.role},
                 {"slab", std::string("live")},
                 {"version", std::string()}},
                source};
    ValueId value = call(asked).front();
    if (value != 0 && graph_.type(value).kind == Kind::kReal) {
        value = node(OpId::kStopGradient_1, {value}, source);
    }
    frames_.pop_back();  // removed only now: the reader may be inside of a scan, but the value has all steps
    if (value == 0 || !suits(wanted, value, source)) {
        const Column* const stored = find_column(wanted.key);
        const bool of_rows = stored != nullptr && stored->spec.group.empty();
        // the mistake has been reported; the rest can still be checked
        value = of_rows ? read(*stored, source) : 0;
    }
    stood_in_.emplace(wanted.key, value);
    if (context_.stood_in != nullptr) {
        context_.stood_in->insert(wanted.key);
    }
    return value;
}

// Whether the value has the type of the stored column, on which readers rely. What stands in for a column of a group,
// or a network of a group, may give the type that one agent reads.
bool Builder::suits(const StandIn& wanted, ValueId value, std::uint32_t source) {
    const auto network = std::ranges::find(*context_.networks, wanted.role, &Unit::role);
    const Column* const stored = find_column(wanted.key);
    const Column* const of_network =
        network->group.empty() ? nullptr : find_column(key_in_group(network->group, wanted.key));
    std::vector<Type> types;
    if (of_network != nullptr) {
        types.push_back(type_of_one(*of_network, network->group));
    } else if (stored != nullptr) {
        const std::string& group = stored->spec.group.empty() ? network->group : stored->spec.group;
        if (!group.empty()) {
            types.push_back(type_of_one(*stored, group));
        }
        types.push_back(type_of(is_transformed(*stored) ? transformed_spec(*stored, source) : stored->spec));
    }
    if (types.empty() || std::ranges::find(types, graph_.type(value)) != types.end()) {
        return true;
    }
    report_type(wanted, value, stored != nullptr && stored->spec.group.empty() ? types.back() : types.front(), source);
    return false;
}

void Builder::report_type(const StandIn& wanted, ValueId value, const Type& type, std::uint32_t source) {
    Problem* const told =
        fail(Fault::kInput,
             wanted.role + "." + wanted.function + " stands in for '" + wanted.key + "' as " +
                 graph_.symbols.text(graph_.type(value)) + ", but the column is " + graph_.symbols.text(type),
             source);
    if (told != nullptr) {
        told->also.push_back(wanted.place);
    }
}

// The spec of a stand-in without a stored column: a shape, but no bounds.
Spec Builder::spec_of_stand_in(const StandIn& wanted, ValueId value) {
    Spec spec;
    spec.key = wanted.key;
    if (value != 0) {
        set_shape(spec, graph_.type(value));
    }
    return spec;
}

}  // namespace tenon::graph
