// SPDX-License-Identifier: Apache-2.0
// Scans that end with their rows. The flags that say which rows are done become one more carried value, and they mask
// the results of the body. So gradients, and executors that run all steps, need to know nothing of it; others may stop
// once all flags are set, because later steps change no result.
#include <algorithm>
#include <cmath>
#include <string>

#include "compute/graph/builder.hpp"

namespace tenon::graph {

// False for each row of the flags, computed from a first value of the scan that has these rows. 0: none has.
ValueId Builder::no_row_done(const Region& region, const Type& flags) {
    if (flags.dims.empty()) {
        const ValueId zero = number(0);
        return node(OpId::kLt_1, {zero, zero}, region.source);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(region.carries); ++i) {
        ValueId value = region.arguments[i];
        const Type type = graph_.type(value);
        if (!std::ranges::equal(type.symbols(), flags.symbols())) {
            continue;
        }
        for (std::size_t size = type.sizes().size(); size > 0; --size) {
            value = node(OpId::kSlice_2, {value}, region.source,
                         {{"axis", std::int64_t{-1}}, {"length", std::int64_t{1}}, {"start", std::int64_t{0}}});
            value = node(OpId::kSqueeze_1, {value}, region.source, {{"axis", std::int64_t{-1}}});
        }
        return node(OpId::kLt_1, {value, value}, region.source);
    }
    return 0;
}

// `value`, but `kept` in rows that are done.
ValueId Builder::kept_where(ValueId done, ValueId kept, ValueId value, std::uint32_t source) {
    done = stretched(done, value, source);
    if (graph_.type(value).kind != Kind::kBool) {
        return node(OpId::kWhere_1, {done, kept, value}, source);
    }
    const ValueId others = node(OpId::kAnd_1, {node(OpId::kNot_1, {done}, source), value}, source);
    return node(OpId::kOr_1, {node(OpId::kAnd_1, {done, kept}, source), others}, source);
}

ValueId Builder::filled_where(ValueId done, double fill, ValueId value, std::uint32_t source) {
    const Kind kind = graph_.type(value).kind;
    ValueId filled = kind == Kind::kInt ? whole(static_cast<std::int64_t>(fill)) : number(fill);
    if (kind == Kind::kBool) {
        filled = node(OpId::kNe_1, {filled, number(0)}, source);
    }
    return kept_where(done, filled, value, source);
}

// Makes the last result a carried value and masks the others. False, with a problem, if it cannot say which rows are
// done.
bool Builder::end_with_rows(std::uint32_t id) {
    graph_.regions[id].until = false;
    const Region region = graph_.regions[id];
    const auto carries = static_cast<std::size_t>(region.carries);
    const auto is_poisoned = [](const Values& values) { return std::ranges::find(values, 0U) != values.end(); };
    if (is_poisoned(region.results) || is_poisoned(region.inputs)) {
        return false;  // the cause has been reported
    }
    const std::uint32_t source = region.source;
    if (region.results.size() <= carries) {
        fail("scan: with until its last result says which rows are done, after the values that it carries; it has " +
                 std::to_string(region.results.size()) + " results and carries " + std::to_string(carries),
             source);
        return false;
    }
    const ValueId ended = region.results.back();
    const Type flags = graph_.type(ended);
    const auto symbols = [&] { return graph_.symbols.text(flags); };
    if (flags.kind != Kind::kBool || !flags.sizes().empty()) {
        fail("scan: its last result says which rows are done, so it must be bool without sizes, but is " + symbols(),
             graph_.node_of(ended).source, {ended});
        return false;
    }
    const bool has_int =
        std::ranges::any_of(region.results, [&](ValueId value) { return graph_.type(value).kind == Kind::kInt; });
    if (!std::isfinite(region.fill) && has_int) {
        fail("scan: a result is int, so fill must be finite", source);
        return false;
    }
    const ValueId first = no_row_done(region, flags);
    if (first == 0) {
        fail("scan: its last result, " + symbols() +
                 ", says which rows are done, but no value that it carries has just these rows",
             graph_.node_of(ended).source, {ended});
        return false;
    }
    // The number is unique only until the others have moved.
    const ValueId done =
        intern(Draft{&op_of(OpId::kArgument_1),
                     {},
                     {{"number", static_cast<std::int64_t>(region.inputs.size())}, {"region", std::int64_t{id}}},
                     source},
               {flags}, id)
            .front();
    Values results;
    for (std::size_t i = 0; i < region.results.size(); ++i) {
        const ValueId value = region.results[i];
        const bool carried = i < carries;
        const Type type = graph_.type(carried ? region.inputs[i] : value);
        const bool has_rows = std::ranges::all_of(flags.symbols(), [&](Dim row) { return type.has(row); });
        if (i + 1 == region.results.size()) {
            results.insert(results.begin() + static_cast<std::ptrdiff_t>(carries),
                           node(OpId::kOr_1, {done, value}, source));
        } else if (carried && (!has_rows || graph_.type(value) != type)) {
            results.push_back(value);  // without rows, or of another type, which is reported later
        } else {
            results.push_back(carried ? kept_where(done, region.inputs[i], value, source)
                                      : filled_where(done, region.fill, value, source));
        }
    }
    if (is_poisoned(results)) {
        return false;
    }
    Region& now = graph_.regions[id];
    const auto place = static_cast<std::ptrdiff_t>(carries);
    now.inputs.insert(now.inputs.begin() + place, done);
    now.arguments.insert(now.arguments.begin() + place, first);
    for (std::size_t i = carries; i < now.inputs.size(); ++i) {
        Node& argument = graph_.nodes[graph_.values[now.inputs[i]].node];
        argument.attributes.front().value = static_cast<std::int64_t>(i);
    }
    now.results = std::move(results);
    now.ends = now.carries++;
    return true;
}

}  // namespace tenon::graph
