// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/held_carries.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Dim;
using graph::Node;
using graph::NodeId;
using graph::OpId;
using graph::Region;
using graph::Rule;
using graph::ValueId;

bool is_shown(const Readers& readers, ValueId value) {
    const auto has = [&](const std::vector<ValueId>& list) { return std::ranges::find(list, value) != list.end(); };
    return readers.shown == nullptr || has(*readers.shown) ||
           std::ranges::any_of(readers.graph.regions, [&](const Region& region) { return has(region.results); });
}

// Whether f(node) is true for each node that reads the value.
bool all_readers(const Readers& readers, ValueId value, const auto& f) {
    for (NodeId id = 1; id < readers.graph.nodes.size(); ++id) {
        const Node& node = readers.graph.nodes[id];
        if (readers.needed[id] && std::ranges::find(node.inputs, value) != node.inputs.end() && !f(node)) {
            return false;
        }
    }
    return true;
}

bool is_put_into(const graph::Graph& graph, ValueId value, ValueId carried) {
    bool puts = false;
    while (graph.node_of(value).is(OpId::kPut_1)) {
        const ValueId into = graph.node_of(value).inputs[0];
        if (graph.type(into).dims != graph.type(value).dims) {
            return false;
        }
        value = into;
        puts = true;
    }
    return puts && value == carried;
}

// What the step makes of the carried value, before it is kept in rows that are done.
ValueId before_until(const Readers& readers, const Region& region, ValueId result, ValueId carried) {
    const graph::Graph& graph = readers.graph;
    const Node& node = graph.node_of(result);
    if (region.ends < 0 || !node.is(OpId::kWhere_1) || node.inputs[1] != carried) {
        return result;
    }
    ValueId flags = node.inputs[0];
    while (graph.node_of(flags).is(OpId::kUnsqueeze_1)) {
        flags = graph.node_of(flags).inputs[0];
    }
    const bool alone = all_readers(readers, result, [](const Node&) { return false; });
    return alone && flags == region.inputs[static_cast<std::size_t>(region.ends)] ? node.inputs[2] : result;
}

// Whether no operation of the body works on several rows at once.
bool rows_stay_apart(const Readers& readers, std::uint32_t region) {
    const graph::Graph& graph = readers.graph;
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!readers.needed[id] || graph::scan_of(graph, node.region) != region || node.is(OpId::kArgument_1)) {
            continue;
        }
        const bool keeps_rows = std::ranges::all_of(node.inputs, [&](ValueId input) {
            return std::ranges::all_of(graph.type(input).symbols(), [&](Dim dim) {
                return graph::is_derived(dim) || graph.type(node.first_output).has(dim);
            });
        });
        const Rule rule = node.op->rule;
        if (node.output_count == 0 || !keeps_rows || rule == Rule::kScanLinear || rule == Rule::kSpecial) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool Readers::any(ValueId value) const {
    return is_shown(*this, value) || !all_readers(*this, value, [](const Node&) { return false; });
}

bool Readers::only(ValueId value, Dim along, std::int64_t number) const {
    return !is_shown(*this, value) && all_readers(*this, value, [&](const Node& node) {
        return node.is(OpId::kPick_1) && !graph.type(node.first_output).has(along) &&
               graph::int_attribute(node, "index") == number;
    });
}

std::vector<HeldCarry> find_held(const Readers& readers, const Node& scan, std::int64_t steps) {
    const graph::Graph& graph = readers.graph;
    const auto number = static_cast<std::uint32_t>(graph::int_attribute(scan, "region"));
    const Region& region = graph.regions[number];
    std::vector<HeldCarry> out(static_cast<std::size_t>(region.carries));
    const std::int64_t last = region.backward ? 0 : steps - 1;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const ValueId result = region.results[i];
        const ValueId outside = scan.first_output + static_cast<ValueId>(i);
        out[i].result = result;
        if (region.reset >= 0 || graph.type(result).kind == graph::Kind::kBool ||
            !readers.only(outside, region.steps, last) || std::ranges::count(region.results, result) != 1) {
            continue;
        }
        const ValueId carried = region.inputs[i];
        const bool free = !readers.any(outside) && rows_stay_apart(readers, number);
        const ValueId changed = free ? before_until(readers, region, result, carried) : result;
        if (is_put_into(graph, changed, carried)) {
            out[i] = {.held = true, .result = changed, .unneeded = changed == result ? 0 : graph.values[result].node};
        }
    }
    return out;
}

}  // namespace tenon::compiled
