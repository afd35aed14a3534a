// SPDX-License-Identifier: Apache-2.0
// Columns as a program reads them: as they are stored, or after the transforms that are graphs.
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
namespace {

bool changes(const ColumnTransform& transform, const Column& column) {
    const std::string_view key = column.made_of.empty() ? column.spec.key : column.made_of;
    return std::ranges::find(transform.keys, without_next(key)) != transform.keys.end();
}

Kind kind_of(DType dtype) {
    return is_float(dtype) ? Kind::kReal : dtype == DType::kBool ? Kind::kBool : Kind::kInt;
}

// The table of the manifest that sets the component's group.
std::string table_of(const Unit* unit, const std::vector<Unit>& networks) {
    const bool policy = unit != nullptr && std::ranges::find(networks, unit->role, &Unit::role) != networks.end();
    const bool named = unit != nullptr && !policy && unit->role != "objective";
    return (policy ? "[policy." + unit->role : named ? "[objective " + unit->role : "[objective") + "]";
}

std::string hint_of_group(const std::string& group, const std::string& table) {
    return "; each agent of the group '" + group + "' has one: set group = \"" + group + "\" in " + table;
}

std::string text_of_parts(const std::vector<const Column*>& parts) {
    return listed(parts, [](const Column* part) { return "'" + part->spec.key + "'"; });
}

}  // namespace

// In a function that is called on two batches at once: the columns of both batches, stacked.
Builder::Values Builder::stacked_columns(const Draft& draft) {
    const std::string prefixes = frames_.back().prefix;
    const std::size_t bar = prefixes.find('|');
    Draft stack{&op_of(OpId::kStack_1), {}, {{"name", std::string("both")}}, draft.source};
    for (const std::string& prefix : {prefixes.substr(0, bar), prefixes.substr(bar + 1)}) {
        frames_.back().prefix = prefix;
        Draft one = draft;
        stack.inputs.push_back(column(one).front());
    }
    frames_.back().prefix = prefixes;
    const bool poisoned = std::ranges::find(stack.inputs, ValueId{0}) != stack.inputs.end();
    return poisoned ? Values(1) : add(std::move(stack));
}

Builder::Values Builder::column(Draft& draft) {
    if (frames_.back().prefix.find('|') != std::string::npos) {
        return stacked_columns(draft);
    }
    const std::string key = full_key(text_of(draft.attributes, "key"));
    if (const std::optional<ValueId> bound = bound_column(key)) {
        return {*bound};
    }
    if (ends_by_agent(key)) {
        return {end_of_agent(key, draft.source)};
    }
    if (const StandIn* const by_agent = find_stand_in_of_agent(key)) {
        return {stood_in_by_agent(*by_agent, draft.source)};
    }
    if (const Column* of_group = find_in_group(key)) {
        return {of_one_agent(*of_group, draft.source)};
    }
    if (Values instead = stood_in(key, draft.source); !instead.empty()) {
        return instead;
    }
    if (const Column* known = find_column(key)) {
        return {of_all_agents(*known, draft.source)};
    }
    if (const Column* stored = find_stored(key)) {
        return {read(*stored, draft.source)};
    }
    if (const auto parts = action_parts(key); !parts.empty()) {
        return joined_action(parts, draft.source);
    }
    if (Values provided = provided_column(draft); !provided.empty()) {
        return provided;
    }
    if (const AttributeValue* standard = value_of(draft.attributes, "default")) {
        return make(OpId::kConstant_1, {}, {{"value", *standard}}, Type{});
    }
    const Unit* const unit = frames_.back().unit;
    if (unit != nullptr && !tell_first(mark_of_column(unit->role, text_of(draft.attributes, "key")))) {
        return Values(1);
    }
    auto keys = mapped<std::string_view>(*context_.columns,
                                         [](const Column& column) -> std::string_view { return column.spec.key; });
    std::string list = listed(keys);
    const std::string group = group_with(key);
    for (const Unit& network : *context_.networks) {
        for (const ProvidedColumn& provided : network.provides) {
            keys.emplace_back(provided.key);
        }
    }
    // Rewards and ends belong to the step that begins at the row, and are named after the time to which it leads.
    const bool later = find_column(next_key(key)) != nullptr;
    const std::string batch = key.substr(0, key.find('.'));
    const bool is_batch = batch != "next" && frames_.back().prefix.starts_with(batch + ".") &&
                          std::ranges::none_of(keys, [&](std::string_view known) { return within(known, batch); });
    if (is_batch && !tell_first("batch " + batch)) {
        return Values(1);
    }
    std::vector<std::string> parts, of_all;
    for (const std::string_view known : keys) {
        if (known.starts_with(key + ".")) {
            parts.push_back('"' + std::string(known) + '"');
        }
    }
    for (const Column& known : *context_.columns) {
        if (!known.spec.group.empty() && known.spec.role == Role::kObservation &&
            known.spec.kind != SpecKind::kBinary && !within(known.spec.key, "next")) {
            of_all.push_back('"' + known.spec.key + '"');
        }
    }
    std::string near = did_you_mean(key, keys);
    const auto acts = std::ranges::find(*context_.networks, nullptr, &Unit::api);  // by a procedure
    if (near.empty() && acts != context_.networks->end()) {
        near = "; [policy." + acts->role + "] is " + acts->component + ", which does not write it";
    }
    const bool is_central = near.empty() && unit != nullptr && unit->group.empty() && !of_all.empty();
    fail(Fault::kInput,
         "there is no column '" + key + "' in the " + context_.program + " program" +
             (later            ? "; did you mean 'next." + key + "'?"
              : !group.empty() ? hint_of_group(group, table_of(unit, *context_.networks))
              : !parts.empty() ? "; it has parts, which are named one by one: in = [" + listed(parts) + "]"
              : is_batch       ? "; it is of a second batch, which the objective does not have: batches = { " + batch +
                                     " = \"BUFFER\" }"
              : is_central     ? "; what all agents observe is in = [" + listed(of_all) + "]"
                               : near) +
             (is_batch ? "" : " (columns: " + list + ")"),
         draft.source);
    return Values(1);
}

// A column that another network provides, with the reader's slab, version and mode; nothing if no network provides it.
Builder::Values Builder::provided_column(const Draft& draft) {
    const std::string& asked = text_of(draft.attributes, "key");
    const std::string_view key = without_next(asked);
    for (const Unit& unit : *context_.networks) {
        const auto found = std::ranges::find(unit.provides, key, &ProvidedColumn::key);
        if (found == unit.provides.end()) {
            continue;
        }
        if (is_running(unit, found->function)) {
            fail(Fault::kInput, "it reads '" + std::string(key) + "', which is what comes out of it", draft.source);
            return Values(1);
        }
        return provided_by(unit, found->function, key.size() == asked.size() ? "" : std::string(kNextPrefix),
                           draft.source);
    }
    return {};
}

// A column is one value, however often it is read. So a function that draws it draws once.
Builder::Values Builder::provided_by(const Unit& unit, const std::string& function, const std::string& prefix,
                                     std::uint32_t source) {
    const Frame& frame = frames_.back();
    std::string how;
    for (const std::string& part :
         {unit.role, function, frame.prefix + prefix, frame.slab, frame.version, frame.mode,
          std::to_string(frame.draws), std::to_string(frame.steps ? frame.steps->region : 0),
          std::to_string(frame.histories ? frame.histories->number : 0), std::to_string(open_steps())}) {
        how += part + "\n";
    }
    if (frame.bound != nullptr) {
        for (const auto* list : {&frame.bound->columns, &frame.bound->memories, &frame.bound->parameters}) {
            for (const auto& [bound, value] : *list) {
                how += bound + "=" + std::to_string(value) + "\n";
            }
        }
    }
    if (const auto known = provided_.find(how); known != provided_.end()) {
        mark_read(frame.bound);
        return known->second;
    }
    Draft call_of{&op_of(OpId::kCall_1),
                  {},
                  {{"function", function},
                   {"mode", frame.mode},
                   {"prefix", prefix},
                   {"role", unit.role},
                   {"slab", frame.slab},
                   {"version", frame.version}},
                  source};
    Values out = call(call_of);
    if (std::ranges::find(out, ValueId{0}) == out.end()) {
        provided_.emplace(std::move(how), out);
    }
    return out;
}

Type Builder::type_of(const Spec& spec) const {
    Type type{kind_of(spec.dtype), context_.leading};
    const auto sizes = spec.shape.extents();
    type.dims.insert(type.dims.end(), sizes.begin(), sizes.end());
    return type;
}

ValueId Builder::stored(const Column& column, std::uint32_t source) {
    Type type = type_of(column.spec);
    Draft draft{&op_of(OpId::kColumn_1), {}, {{"key", column.spec.key}}, source};
    return intern(std::move(draft), {std::move(type)}, 0).front();
}

// Transforms of a group's column are written for one agent, as the column's readers are.
ValueId Builder::read(const Column& column, std::uint32_t source) {
    if (column.spec.group.empty() || !is_transformed(column)) {
        return transformed(column, stored(column, source), source);
    }
    return ungrouped(column, by_agent(column, column.spec.group, source), source);
}

bool Builder::is_transformed(const Column& column) const {
    const auto* const all = context_.transforms;
    return all != nullptr &&
           std::ranges::any_of(*all, [&](const ColumnTransform& one) { return changes(one, column); });
}

ValueId Builder::transformed(const Column& column, ValueId value, std::uint32_t source) {
    if (!is_transformed(column)) {
        return value;
    }
    for (const ColumnTransform& transform : *context_.transforms) {
        if (value != 0 && changes(transform, column)) {
            if (is_running(transform.unit, "apply")) {
                fail("it reads '" + column.spec.key +
                         "', which is its own output; it can read only the columns that it changes",
                     source);
                return 0;
            }
            Frame frame{.unit = &transform.unit,
                        .function = "apply",
                        .slab = "live",
                        .mode = frames_.back().mode,
                        .path = transform.unit.component + ".apply",
                        .steps = frames_.back().steps};
            value = run(std::move(frame), std::span(&value, 1), 1).front();
            if (graph_.type(value).sizes().size() + (column.spec.group.empty() ? 0 : 1) > kMaxSpecRank) {
                fail(transform.unit.component + " makes " + graph_.symbols.text(graph_.type(value)) +
                         " of the column '" + column.spec.key + "', but a column can have at most " +
                         std::to_string(kMaxSpecRank) + " sizes",
                     source);
                return 0;
            }
        }
    }
    return value;
}

void Builder::set_shape(Spec& spec, const Type& type) {
    spec.dtype = type.kind == Kind::kReal ? DType::kF32 : type.kind == Kind::kInt ? DType::kI64 : DType::kBool;
    spec.shape = Shape(std::span<const std::int64_t>(type.sizes()));
}

// What a graph makes of a column has a shape, but neither bounds nor categories.
Spec Builder::transformed_spec(const Column& column, std::uint32_t source) {
    const ValueId value = read(column, source);
    const Spec& stored = column.spec;
    Spec spec{.key = stored.key,
              .role = stored.role,
              .dtype = stored.dtype,
              .shape = stored.shape,
              .low = {},
              .high = {},
              .categories = {},
              .group = stored.group};
    if (value != 0) {
        set_shape(spec, graph_.type(value));
    }
    return spec;
}

const tn_spec& Builder::spec_of(const Column& column, const std::string& key, const tn_source* source) {
    const Spec* seen = &column.spec;
    if (is_transformed(column)) {
        seen = &transformed_specs_.emplace(key, transformed_spec(column, add_source(source))).first->second;
    }
    return specs_.emplace(key, to_abi(*seen)).first->second;
}

tn_status Builder::spec_of(std::string_view key, bool optional, const tn_source* source, const tn_spec** spec) {
    const std::string full = full_key(key);
    for (const std::string_view seen : {std::string_view(full), key}) {
        if (const Column* of_group = find_in_group(seen)) {
            const std::string name = "one " + of_group->spec.key;  // no key has a blank
            const Spec& one = transformed_specs_.emplace(name, spec_of_one(*of_group)).first->second;
            *spec = &specs_.emplace(name, to_abi(one)).first->second;
            return TN_OK;
        }
    }
    const Column* known = find_column(full);
    if (known == nullptr) {
        known = find_stored(full);
    }
    // A policy that is applied to windows, such as window.action, sees the spec of one step, for which it is written.
    if (known != nullptr && known->agents_at > 0 && known->made_of == key && find_column(key) != nullptr) {
        known = find_column(key);
    }
    const StandIn* const by_agent = known == nullptr ? find_stand_in_of_agent(full) : nullptr;
    if (const StandIn* const wanted = known == nullptr && by_agent == nullptr ? find_stand_in(full) : by_agent) {
        const std::uint32_t at = add_source(source);
        const ValueId one = by_agent != nullptr ? stood_in_by_agent(*wanted, at) : stand_in_value(*wanted, at);
        const std::optional<Dim> agents = one == 0 || by_agent != nullptr ? std::nullopt : group_in(graph_.type(one));
        const ValueId value = agents ? of_all_rows(*wanted, one, at) : one;
        Spec& made = transformed_specs_.emplace(full, spec_of_stand_in(*wanted, value)).first->second;
        made.group = agents ? graph_.symbols.role(*agents) : "";
        *spec = &specs_.emplace(full, to_abi(made)).first->second;
        return TN_OK;
    }
    if (known == nullptr) {
        known = find_column(key);  // the spec of an action is the same one step later
    }
    if (known == nullptr) {
        const Unit* const unit = frames_.back().unit;
        if (!optional && (unit == nullptr || tell_first(mark_of_column(unit->role, key)))) {
            const auto keys = mapped<std::string_view>(
                *context_.columns, [](const Column& column) -> std::string_view { return column.spec.key; });
            const std::string group = group_with(key);
            const std::string several = text_of_parts(action_parts(key));
            fail(Fault::kInput,
                 several.empty() ? "there is no column '" + full + "' in the " + context_.program + " program" +
                                       (group.empty() ? did_you_mean(full, keys)
                                                      : hint_of_group(group, table_of(unit, *context_.networks)))
                                 : "it is made for an action of one column, but the env takes several: " + several,
                 add_source(source));
        }
        return TN_NOT_FOUND;
    }
    *spec = &spec_of(*known, full, source);
    return TN_OK;
}

}  // namespace tenon::graph
