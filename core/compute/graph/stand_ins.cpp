// SPDX-License-Identifier: Apache-2.0
// Stand-ins: a network's function replaces a column. A reader of the column, in any function and under any prefix, gets
// one value that is computed once, as if the objective itself had called the function on the present batch. Like a
// column, the value has no gradient. The stored values of the column are read as "stored.KEY".
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
namespace {

constexpr std::string_view kStored = "stored.";

}  // namespace

const StandIn* Builder::find_stand_in(std::string_view key) const {
    if (context_.stand_ins == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(*context_.stand_ins, key, &StandIn::key);
    return found == context_.stand_ins->end() ? nullptr : &*found;
}

// The stored column that "stored.KEY" names.
const Column* Builder::find_stored(std::string_view key) const {
    return key.starts_with(kStored) ? find_column(key.substr(kStored.size())) : nullptr;
}

// The column's stand-in; nothing if it has none. If an end is computed, "next.done" uses it as well.
Builder::Values Builder::stood_in(const std::string& key, std::uint32_t source) {
    if (const StandIn* const wanted = find_stand_in(key)) {
        return {stand_in_value(*wanted, source)};
    }
    const bool ends = find_stand_in(kNextTerminated) != nullptr || find_stand_in(kNextTruncated) != nullptr;
    if (key != kNextDone || !ends) {
        return {};
    }
    Values either;
    for (const std::string_view end : {kNextTerminated, kNextTruncated}) {
        const StandIn* const wanted = find_stand_in(end);
        either.push_back(wanted != nullptr ? stand_in_value(*wanted, source) : read(*find_column(end), source));
    }
    const bool poisoned = std::ranges::find(either, ValueId{0}) != either.end();
    return poisoned ? Values(1) : add(Draft{&op_of(OpId::kOr_1), std::move(either), {}, source});
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
        value = add(Draft{&op_of(OpId::kStopGradient_1), {value}, {}, source}).front();
    }
    frames_.pop_back();  // removed only now: the reader may be inside of a scan, but the value has all steps
    if (value == 0 || !suits(wanted, value, source)) {
        const Column* const stored = find_column(wanted.key);
        // the mistake has been reported; the rest can still be checked
        value = stored == nullptr ? 0 : read(*stored, source);
    }
    stood_in_.emplace(wanted.key, value);
    if (context_.stood_in != nullptr) {
        context_.stood_in->insert(wanted.key);
    }
    return value;
}

// Whether the value has the type of the stored column, on which readers rely.
bool Builder::suits(const StandIn& wanted, ValueId value, std::uint32_t source) {
    const Column* const stored = find_column(wanted.key);
    if (stored == nullptr) {
        return true;
    }
    const Type type = type_of(is_transformed(*stored) ? transformed_spec(*stored, source) : stored->spec);
    if (graph_.type(value) == type) {
        return true;
    }
    Problem* const told =
        fail(Fault::kInput,
             wanted.role + "." + wanted.function + " stands in for '" + wanted.key + "' as " +
                 graph_.symbols.text(graph_.type(value)) + ", but the column is " + graph_.symbols.text(type),
             source);
    if (told != nullptr) {
        told->also.push_back(wanted.place);
    }
    return false;
}

// The spec of a stand-in without a stored column: a shape, but no bounds.
Spec Builder::spec_of_stand_in(const StandIn& wanted, const tn_source* source) {
    Spec spec;
    spec.key = wanted.key;
    if (const ValueId value = stand_in_value(wanted, add_source(source)); value != 0) {
        set_shape(spec, graph_.type(value));
    }
    return spec;
}

}  // namespace tenon::graph
