// SPDX-License-Identifier: Apache-2.0
// Agents that come and go: "agents.present" of a group says which of them take part in a row. The values of an absent
// agent's row are never used: readers get zeros. Losses, metrics and ops over rows only count the rows of present
// agents. If an agent is absent after a step, that step is its last one.
//
//     agent 0    present  present  present  absent   present  present
//     done       false    false    true              false    ...
//     loss       counts   counts   counts            counts   counts
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
namespace {

// Smaller than one row's share of as many rows as fit into memory.
constexpr double kLeastShare = 1e-12;

// Whether the column says who is present, or who is present one step later.
bool says_presence(const Column& column, std::string_view group) {
    const std::string key = join_keys(group, kPresent);
    return column.spec.key == key || column.spec.key == next_key(key);
}

bool is_end(std::string_view key) {
    return key == kNextTerminated || key == kNextTruncated || key == kNextDone;
}

}  // namespace

ValueId Builder::node(OpId op, std::vector<ValueId> inputs, std::uint32_t source, std::vector<Attribute> attributes) {
    return add(Draft{&op_of(op), std::move(inputs), std::move(attributes), source}).front();
}

// Which agents of the group are present; 0 if all of them always are.
ValueId Builder::present_in(const std::string& group, std::uint32_t source) {
    const Column* const column = find_column(join_keys(group, kPresent));
    return column == nullptr ? 0 : by_agent(*column, group, source);
}

// The same for a value that has one element for each agent in each row; 0 for other values.
ValueId Builder::present_for(ValueId value, std::uint32_t source) {
    const Type type = graph_.type(value);
    const std::optional<Dim> group = value == 0 ? std::nullopt : group_in(type);
    const bool has_rows = std::ranges::all_of(context_.leading, [&](Dim dim) { return type.has(dim); });
    return group && has_rows ? present_in(graph_.symbols.role(*group), source) : 0;
}

// Gives a flag of each row as many sizes as the value has.
ValueId Builder::stretched(ValueId present, ValueId value, std::uint32_t source) {
    for (std::size_t size = graph_.type(value).sizes().size(); size > 0; --size) {
        present = node(OpId::kUnsqueeze_1, {present}, source, {{"axis", std::int64_t{-1}}});
    }
    return present;
}

ValueId Builder::where_present(ValueId value, ValueId present, std::uint32_t source) {
    present = stretched(present, value, source);
    const Kind kind = graph_.type(value).kind;
    return kind == Kind::kBool
               ? node(OpId::kAnd_1, {present, value}, source)
               : node(OpId::kWhere_1, {present, value, kind == Kind::kInt ? whole(0) : number(0)}, source);
}

// A column as one agent of its group reads it.
ValueId Builder::of_one_agent(const Column& column, std::uint32_t source) {
    const std::string& group = frames_.back().unit->group;
    const ValueId value = by_agent(column, group, source);
    const ValueId present = says_presence(column, group) ? 0 : present_in(group, source);
    return present == 0 || value == 0 ? value : where_present(value, present, source);
}

// A column as units outside of the group read it. The rows of absent agents are zeros for them, too.
ValueId Builder::of_all_agents(const Column& column, std::uint32_t source) {
    const std::string& group = column.spec.group;
    if (group.empty() || says_presence(column, group) || find_column(join_keys(group, kPresent)) == nullptr) {
        return read(column, source);
    }
    const ValueId value = by_agent(column, group, source);
    return value == 0 ? 0 : ungrouped(column, where_present(value, present_in(group, source), source), source);
}

// Whether each agent of the running function's group may end before its lane does.
bool Builder::ends_by_agent(std::string_view key) const {
    return is_end(key) && find_column(key) != nullptr &&
           (find_in_group(kNextTerminated) != nullptr || find_in_group(next_key(kPresent)) != nullptr ||
            find_stand_in_of_agent(kNextTerminated) != nullptr);
}

// An agent terminates with its lane or before it, and is done when it leaves.
ValueId Builder::end_of_agent(std::string_view key, std::uint32_t source) {
    const std::string& group = frames_.back().unit->group;
    const auto of_lane = [&](std::string_view end) {
        const Values instead = stood_in(std::string(end), source);
        return instead.empty() ? read(*find_column(end), source) : instead.front();
    };
    ValueId terminated = of_lane(kNextTerminated);
    if (const StandIn* const instead = find_stand_in_of_agent(kNextTerminated)) {
        terminated = node(OpId::kOr_1, {stood_in_by_agent(*instead, source), terminated}, source);
    } else if (const Column* const own = find_in_group(kNextTerminated)) {
        terminated = node(OpId::kOr_1, {of_one_agent(*own, source), terminated}, source);
    }
    if (key == kNextTerminated) {
        return terminated;
    }
    ValueId done = node(OpId::kOr_1, {terminated, of_lane(kNextDone)}, source);
    if (const Column* const next = find_in_group(next_key(kPresent))) {
        const ValueId left = node(OpId::kNot_1, {by_agent(*next, group, source)}, source);
        done = node(OpId::kOr_1, {left, done}, source);
    }
    return key == kNextDone ? done : node(OpId::kAnd_1, {done, node(OpId::kNot_1, {terminated}, source)}, source);
}

// The value with zeros for absent agents, and a value that is 1 for each present one. The mean over present agents is
// the quotient of the means of these two over all agents.
std::pair<ValueId, ValueId> Builder::over_all(ValueId value, ValueId present, std::uint32_t source) {
    return {where_present(value, present, source),
            node(OpId::kCast_1, {stretched(present, value, source)}, source, {{"to", std::string("real")}})};
}

ValueId Builder::quotient(ValueId a, ValueId b, std::uint32_t source) {
    return node(OpId::kDiv_1, {a, node(OpId::kMaximum_1, {b, number(kLeastShare)}, source)}, source);
}

// The deviation over present agents. As for batch_std, its gradient is 0 where the deviation is 0.
ValueId Builder::deviation_of_present(ValueId value, ValueId present, std::uint32_t source) {
    const auto [of_present, share] = over_all(value, present, source);
    const ValueId mean =
        quotient(node(OpId::kBatchMean_1, {of_present}, source), node(OpId::kBatchMean_1, {share}, source), source);
    const ValueId square = node(OpId::kSquare_1, {node(OpId::kSub_1, {value, mean}, source)}, source);
    const ValueId total = node(OpId::kBatchSum_1, {where_present(square, present, source)}, source);
    const ValueId others = node(OpId::kSub_1, {node(OpId::kBatchSum_1, {share}, source), number(1)}, source);
    const ValueId variance = node(OpId::kDiv_1, {total, node(OpId::kMaximum_1, {others, number(1)}, source)}, source);
    const ValueId varies = node(OpId::kGt_1, {variance, number(0)}, source);
    const ValueId root = node(OpId::kSqrt_1, {node(OpId::kWhere_1, {varies, variance, number(1)}, source)}, source);
    return node(OpId::kWhere_1, {varies, root, number(0)}, source);
}

// The result of an op over rows if agents come and go; nothing for other ops and values.
std::optional<Builder::Values> Builder::over_present(const Draft& draft) {
    static constexpr OpSet kOverRows{OpId::kBatchSum_1,   OpId::kBatchMean_1,     OpId::kBatchStd_1,
                                     OpId::kBatchCount_1, OpId::kBatchQuantile_1, OpId::kMeanRows_1,
                                     OpId::kCountRows_1,  OpId::kCollect_1};
    const ValueId present =
        kOverRows.has(draft.op->id) && draft.inputs.size() == 1 ? present_for(draft.inputs[0], draft.source) : 0;
    if (present == 0) {
        return std::nullopt;
    }
    const ValueId value = draft.inputs[0];
    const auto [of_present, share] = over_all(value, present, draft.source);
    const auto same = [&](ValueId of) { return add(Draft{draft.op, {of}, draft.attributes, draft.source}).front(); };
    switch (draft.op->id) {
        case OpId::kBatchSum_1:
        case OpId::kCollect_1:
            return Values{same(of_present)};
        case OpId::kBatchMean_1:
        case OpId::kMeanRows_1:
            return Values{quotient(same(of_present), same(share), draft.source)};
        case OpId::kBatchCount_1:
            return Values{node(OpId::kBatchSum_1, {share}, draft.source)};
        case OpId::kCountRows_1:
            return Values{
                node(OpId::kMul_1, {same(value), node(OpId::kMeanRows_1, {share}, draft.source)}, draft.source)};
        case OpId::kBatchStd_1:
            return Values{deviation_of_present(value, present, draft.source)};
        default:
            fail(std::string(draft.op->name) + " is not possible over agents that come and go: '" +
                     graph_.symbols.role(*group_in(graph_.type(value))) + "." + std::string(kPresent) +
                     "' says who takes part in a row",
                 draft.source, {value});
            return Values(1);
    }
}

}  // namespace tenon::graph
