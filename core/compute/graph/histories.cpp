// SPDX-License-Identifier: Apache-2.0
// Networks with histories. In acting, a history is two memories of the lane: the window of the step before and, for all
// histories of the network, the step of the episode. Only the row of each step is stored. Over sequences no step waits
// for another one: the rows of all steps are known at once, because a row cannot depend on the window that it is in. So
// each step's window is a view of the rows (op windows), and a sum over time gives the number of rows that count.
#include <algorithm>
#include <utility>

#include "base/data/shape_text.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/limits.hpp"

namespace tenon::graph {
namespace {

std::string window_of(std::string_view name) {
    return std::string(name) + "_window";
}

// Every step adds a row to every history, so this number says for all of them how many rows there are.
constexpr const char* kEpisodeStep = "episode_step";

}  // namespace

Builder::Values Builder::history(const Draft& draft) {
    History history{.name = text_of(draft.attributes, "name"),
                    .window = std::get<std::int64_t>(*value_of(draft.attributes, "window")),
                    .source = draft.source};
    ValueId row = draft.inputs[0];
    if (history.window == 1) {  // it remembers nothing
        const std::int64_t axis = -static_cast<std::int64_t>(graph_.type(row).sizes().size()) - 1;
        return {node(OpId::kUnsqueeze_1, {row}, history.source, {{"axis", axis}}), whole(0)};
    }
    if (frames_.back().unit == nullptr || !check_history(history, row)) {
        return Values(2);
    }
    row = graph_.type(row).kind == Kind::kReal ? row : cast(row, "real", history.source);
    const auto sizes = graph_.type(row).sizes();
    history.axis = -static_cast<std::int64_t>(sizes.size()) - 1;
    history.before.assign(1, history.window - 1);
    history.before.insert(history.before.end(), sizes.begin(), sizes.end());
    Histories* const over_time = frames_.back().histories;
    return over_time == nullptr ? history_now(history, row)
           : over_time->after   ? history_after(history, row)
                                : history_over_time(history, row);
}

bool Builder::check_history(const History& history, ValueId row) {
    const Frame& frame = frames_.back();
    const Type& type = graph_.type(row);
    const std::string what = "history '" + history.name + "'";
    const auto refuse = [&](Fault fault, const std::string& why) {
        fail(fault, what + " " + why, history.source, {row});
        return false;
    };
    if (!may_remember(history.name, history.source)) {
        return false;
    }
    std::vector<std::int64_t> sizes(type.sizes().begin(), type.sizes().end());
    sizes.push_back(std::max<std::int64_t>(history.window, 1));
    const std::size_t more = frame.unit->group.empty() ? 0 : 1;
    if (history.window < 1 || sizes.size() + more > kMostMemorySizes || bounded_product(sizes) > kMostElements) {
        return refuse(Fault::kPlugin, "has a window of " + std::to_string(history.window) + " rows of " +
                                          graph_.symbols.text(type) + "; it needs at least 1 row, at most " +
                                          std::to_string(kMostMemorySizes - 1 - more) + " sizes, and at most 2^" +
                                          std::to_string(kMostElementsLog2) + " elements");
    }
    std::vector<Dim> leading(type.symbols().begin(), type.symbols().end());
    const bool by_agent = !frame.unit->group.empty();
    const bool has_agents = !by_agent || std::erase(leading, agents_of(*frame.unit)) > 0;
    const std::uint32_t region = graph_.node_of(row).region;
    if (region != 0) {
        const bool recurrent = frame.steps != nullptr && is_inside(row, frame.steps->region);
        return refuse(Fault::kPlugin, recurrent
                                          ? "gets a row that depends on a memory, which is computed step by step; "
                                            "let the memory depend on the history instead"
                                          : "gets a row from inside of a scan; append the scan's result");
    }
    return (has_agents && leading == context_.leading) ||
           refuse(Fault::kPlugin, "needs one row for each lane" + std::string(by_agent ? " and agent" : "") +
                                      ", but gets " + graph_.symbols.text(type));
}

ValueId Builder::cast(ValueId value, const char* to, std::uint32_t source) {
    return node(OpId::kCast_1, {value}, source, {{"to", std::string(to)}});
}

ValueId Builder::number(double value) {
    return make(OpId::kConstant_1, {}, {{"value", value}}, Type{}).front();
}

ValueId Builder::whole(std::int64_t value) {
    return make(OpId::kIntConstant_1, {}, {{"value", value}}, Type{Kind::kInt, {}}).front();
}

// The rows before this one, then this one.
ValueId Builder::with_row(const History& history, ValueId before, ValueId row) {
    const ValueId last = node(OpId::kUnsqueeze_1, {row}, history.source, {{"axis", history.axis}});
    return node(OpId::kConcat_2, {before, last}, history.source, {{"axis", history.axis}});
}

ValueId Builder::without_oldest(const History& history, ValueId rows) {
    return node(OpId::kSlice_2, {rows}, history.source,
                {{"axis", history.axis}, {"length", history.window - 1}, {"start", std::int64_t{1}}});
}

ValueId Builder::first_present(const History& history, ValueId count) {
    const ValueId absent = node(OpId::kSub_1, {number(static_cast<double>(history.window)), count}, history.source);
    return cast(node(OpId::kMaximum_1, {absent, number(0)}, history.source), "int", history.source);
}

// The window, with zeros in place of rows before the first one that counts.
Builder::Values Builder::masked(const History& history, ValueId rows, ValueId count) {
    const ValueId first = first_present(history, count);
    ValueId numbers = node(OpId::kUnsqueeze_1, {number(0)}, history.source, {{"axis", std::int64_t{-1}}});
    for (std::int64_t have = 1; have < history.window; have *= 2) {
        const ValueId more = node(OpId::kAdd_1, {numbers, number(static_cast<double>(have))}, history.source);
        numbers = node(OpId::kConcat_2, {numbers, more}, history.source, {{"axis", std::int64_t{-1}}});
    }
    numbers = node(OpId::kSlice_2, {numbers}, history.source,
                   {{"axis", std::int64_t{-1}}, {"length", history.window}, {"start", std::int64_t{0}}});
    const ValueId each = node(OpId::kUnsqueeze_1, {first}, history.source, {{"axis", std::int64_t{-1}}});
    ValueId present = node(OpId::kGe_1, {numbers, each}, history.source);
    for (std::int64_t i = history.axis; i < -1; ++i) {
        present = node(OpId::kUnsqueeze_1, {present}, history.source, {{"axis", std::int64_t{-1}}});
    }
    return {node(OpId::kWhere_1, {present, rows, number(0)}, history.source), first};
}

// Whether two calls agree on the shape of the rows before a step; else reports that they do not.
bool Builder::fits_shape(const History& history, std::span<const std::int64_t> one,
                         std::span<const std::int64_t> other) {
    if (std::ranges::equal(one, other)) {
        return true;
    }
    if (!frames_.back().knows_no_sizes) {
        fail("history '" + history.name + "' is read with two different shapes: " + shape_text(one) + " and " +
                 shape_text(other),
             history.source);
    }
    return false;
}

// The window of the step before. It is not reset where an episode begins, because the count says which rows count.
ValueId Builder::last_window(const History& history) {
    std::vector<std::int64_t> shape = history.before;
    ++shape.front();
    Memory window = memory_of_frame(window_of(history.name), std::move(shape));
    window.of = Memory::Of::kWindow;
    const auto known = std::ranges::find(graph_.memories, window.key, &Memory::key);
    if (known == graph_.memories.end()) {
        graph_.memories.push_back(window);
    } else if (!fits_shape(history, known->shape, window.shape)) {
        return 0;
    }
    return stored_memory(window, history.source);
}

// While frames are collected: the row as a column, from which readers over sequences get the rows before them.
void Builder::write_row(const History& history, ValueId row) {
    const Unit& unit = *frames_.back().unit;
    const std::string key = key_of_memory(unit, history.name);
    const bool collects = frames_.size() > 1 && frames_[1].mode == "act";  // the first frame is the host's
    if (collects && std::ranges::find(graph_.histories, key, &Memory::key) == graph_.histories.end()) {
        graph_.histories.push_back({.key = key, .group = unit.group, .shape = shape_of_earlier(history)});
        graph_.writes.push_back({key, column_of(key, row, history.source).second});
    }
}

// The shape of the rows before a step as a column, where a group's agents follow the steps.
std::vector<std::int64_t> Builder::shape_of_earlier(const History& history) {
    std::vector<std::int64_t> shape = history.before;
    if (const Unit& unit = *frames_.back().unit; !unit.group.empty()) {
        shape.insert(shape.begin() + 1, graph_.symbols.size(agents_of(unit)));
    }
    return shape;
}

// The step of the episode in acting. The next step reads one more.
ValueId Builder::step_now(std::uint32_t source) {
    Draft read{&op_of(OpId::kMemory_1), {}, {{"name", std::string(kEpisodeStep)}}, source};
    const ValueId step = memory(read).front();
    if (step != 0) {
        const std::string key = key_of_memory(*frames_.back().unit, kEpisodeStep);
        std::ranges::find(graph_.memories, key, &Memory::key)->of = Memory::Of::kCount;
        const ValueId next = node(OpId::kAdd_1, {step, number(1)}, source);
        remember(Draft{&op_of(OpId::kRemember_1), {next}, {{"name", std::string(kEpisodeStep)}}, source});
    }
    return step;
}

// In acting.
Builder::Values Builder::history_now(const History& history, ValueId row) {
    const ValueId before = last_window(history);
    const ValueId step = step_now(history.source);
    if (before == 0 || step == 0) {
        return Values(2);
    }
    const Unit& unit = *frames_.back().unit;
    const ValueId rows = with_row(history, without_oldest(history, before), row);
    const ValueId count = node(OpId::kAdd_1, {step, number(1)}, history.source);
    const std::string window_name = window_of(history.name);
    remember_once(window_name, key_of_memory(unit, window_name), rows, history.source);
    write_row(history, row);
    return masked(history, rows, count);
}

// The rows of the steps before the sequences; 0: the sequences begin without any.
ValueId Builder::earlier_rows(const History& history) {
    const Unit& unit = *frames_.back().unit;
    const Column* const column = find_column(key_of_memory(unit, history.name));
    if (column == nullptr || context_.forgets) {
        return 0;
    }
    const std::vector<std::int64_t> shape = shape_of_earlier(history);
    if (!fits_shape(history, column->spec.shape.extents(), shape)) {
        return 0;
    }
    Type type{Kind::kReal, context_.leading};
    std::erase(type.dims, kTime);
    type.dims.insert(type.dims.end(), shape.begin(), shape.end());
    Draft draft{&op_of(OpId::kColumn_1), {}, {{"key", column->spec.key}}, history.source};
    const ValueId rows = intern(std::move(draft), {std::move(type)}, 0).front();
    return unit.group.empty()
               ? rows
               : node(OpId::kGroup_1, {rows}, history.source, {{"axis", history.axis}, {"name", unit.group}});
}

Builder::Values Builder::history_over_time(const History& history, ValueId row) {
    const std::size_t problems = said();
    const ValueId before = earlier_rows(history);
    const ValueId so_far = steps_before(history.source);
    if (said() != problems) {
        return Values(2);
    }
    if (context_.burn_in > 0) {
        row = cut(row, is_step(OpId::kLe_1, context_.burn_in, history.source), history.source);
    }
    std::vector<ValueId> inputs{row};
    if (before != 0) {
        inputs.push_back(before);
    }
    const ValueId rows =
        node(OpId::kWindows_1, std::move(inputs), history.source, {{"axis", history.axis}, {"window", history.window}});
    const ValueId count = rows_that_count(before == 0 ? 0 : so_far, history.source);
    frames_.back().histories->seen[key_of_memory(*frames_.back().unit, history.name)] = {rows, count};
    return masked(history, rows, count);
}

// The number of steps of their episodes before the sequences; 0: it is not stored, and they begin without it.
ValueId Builder::steps_before(std::uint32_t source) {
    return find_column(key_of_memory(*frames_.back().unit, kEpisodeStep)) == nullptr
               ? 0
               : first_memory(frames_.back(), memory_of_frame(kEpisodeStep, {}), source);
}

// How many rows count at each step: one more than at the step before, of which an absent agent keeps none.
ValueId Builder::rows_that_count(ValueId so_far, std::uint32_t source) {
    const ValueId begins = read(*find_column("is_init"), source);
    const ValueId goes_on = cast(node(OpId::kNot_1, {begins}, source), "real", source);
    ValueId decay = goes_on;
    if (const ValueId present = present_here(source); present != 0) {
        const ValueId was =
            node(OpId::kShiftTime_1, {cast(present, "real", source)}, source, {{"by", std::int64_t{1}}});
        decay = node(OpId::kMul_1, {goes_on, was}, source);
    }
    ValueId each = node(OpId::kWhere_1, {begins, number(1), number(1)}, source);
    if (so_far != 0) {
        const ValueId from_before = node(OpId::kMul_1, {goes_on, so_far}, source);
        const ValueId at_first = is_step(OpId::kEq_1, 1, source);
        each = node(OpId::kAdd_1, {each, node(OpId::kWhere_1, {at_first, from_before, number(0)}, source)}, source);
    }
    return node(OpId::kScanLinear_1, {decay, each}, source, {{"reverse", std::int64_t{0}}});
}

// Under "next.": the window after this step, moved on by the row of the next one.
Builder::Values Builder::history_after(const History& history, ValueId row) {
    const auto found = frames_.back().histories->seen.find(key_of_memory(*frames_.back().unit, history.name));
    if (found == frames_.back().histories->seen.end()) {
        return Values(2);  // the cause has been reported
    }
    const auto& [rows, count] = found->second;
    return masked(history, with_row(history, without_oldest(history, rows), row),
                  node(OpId::kAdd_1, {kept(count, history.source), number(1)}, history.source));
}

Builder::Values Builder::episode_step(std::uint32_t source) {
    if (frames_.back().unit == nullptr || !may_remember(kEpisodeStep, source)) {
        return Values(1);
    }
    const std::string key = key_of_memory(*frames_.back().unit, kEpisodeStep);
    Histories* const over_time = frames_.back().histories;
    if (over_time == nullptr) {
        return {step_now(source)};
    }
    if (over_time->after) {
        const auto found = over_time->seen.find(key);
        return {found == over_time->seen.end() ? ValueId{0} : kept(found->second.count, source)};
    }
    const std::size_t problems = said();
    const ValueId so_far = context_.forgets ? 0 : steps_before(source);
    if (said() != problems) {
        return Values(1);
    }
    const ValueId count = rows_that_count(so_far, source);
    over_time->seen[key] = {.count = count};
    return {node(OpId::kSub_1, {count, number(1)}, source)};
}

// A count as the next step gets it: an absent agent keeps none.
ValueId Builder::kept(ValueId count, std::uint32_t source) {
    const ValueId present = present_here(source);
    return present == 0 ? count : node(OpId::kMul_1, {cast(present, "real", source), count}, source);
}

// Whether each agent of the running function's group is present; 0: it has no group, or all are.
ValueId Builder::present_here(std::uint32_t source) {
    const std::string& group = frames_.back().unit->group;
    return group.empty() ? 0 : present_in(group, source);
}

}  // namespace tenon::graph
