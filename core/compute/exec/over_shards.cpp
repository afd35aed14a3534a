// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/over_shards.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"

namespace tenon {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpId;
using graph::ValueId;

constexpr graph::OpSet kOfAllRows{OpId::kBatchSum_1, OpId::kBatchMean_1, OpId::kBatchStd_1, OpId::kBatchCount_1,
                                  OpId::kBatchQuantile_1};
constexpr graph::OpSet kDraws{OpId::kRandomNormal_1, OpId::kRandomUniform_1};

bool has_rows(const Graph& graph, ValueId value) {
    return std::ranges::any_of(graph.type(value).dims, graph::is_row);
}

bool is_of_all_rows(const Graph& graph, NodeId id) {
    const Node& node = graph.nodes[id];
    return node.is_any(kOfAllRows) && graph::scan_of(graph, node.region) == 0;
}

// Values that are read for more than their shape.
std::vector<bool> read_values(const Graph& graph) {
    std::vector<bool> out(graph.values.size(), false);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        if (!graph.nodes[id].is_any(kDraws)) {
            graph::for_each_read(graph, id, [&](ValueId value) { out[value] = true; });
        }
    }
    for (const ValueId value : graph::effects_of(graph, true)) {
        out[value] = true;
    }
    for (const graph::Loss& loss : graph.losses) {
        out[loss.value] = true;
    }
    return out;
}

bool is_alike(const Graph& graph, NodeId id, const std::vector<bool>& alike) {
    const Node& node = graph.nodes[id];
    if (node.is_any(kDraws)) {
        return !has_rows(graph, node.first_output);  // rows have draws of their own
    }
    if (node.is(OpId::kColumn_1) || node.is(OpId::kCountRows_1) || is_of_all_rows(graph, id)) {
        return !node.is(OpId::kColumn_1);  // shards have equal numbers of rows
    }
    const auto region_of = [&]() -> const graph::Region& {
        return graph.regions[static_cast<std::size_t>(graph::int_attribute(node, "region"))];
    };
    if (node.is_any(graph::kScans)) {
        return std::ranges::all_of(region_of().results, [&](ValueId value) { return alike[value]; });
    }
    bool out = true;
    graph::for_each_read(graph, id, [&](ValueId value) { out = out && alike[value]; });
    if (node.is(OpId::kArgument_1)) {
        const graph::Region& region = region_of();
        const auto number = static_cast<std::size_t>(graph::int_attribute(node, "number"));
        const bool carries = region.scan && number < static_cast<std::size_t>(region.carries);
        const bool resets = carries && region.reset >= 0;
        out = out && (!carries || alike[region.results[number]]) &&
              (!resets || alike[region.arguments[static_cast<std::size_t>(region.reset)]]);
    }
    return out;
}

}  // namespace

// Finds the values that are the same in all shards. A carried value of a scan is alike if its first value is and if
// each step keeps it so. So all values count as alike at first, and the loop removes those that are not until it finds
// no more.
OverShards over_shards(const Graph& graph) {
    OverShards out{.alike = std::vector<bool>(graph.values.size(), true), .together = {}, .in_scans = {}};
    for (bool changes = true; changes;) {
        changes = false;
        for (NodeId id = 1; id < graph.nodes.size(); ++id) {
            const Node& node = graph.nodes[id];
            if (node.output_count > 0 && out.alike[node.first_output] && !is_alike(graph, id, out.alike)) {
                std::fill_n(out.alike.begin() + node.first_output, node.output_count, false);
                changes = true;
            }
        }
    }
    const std::vector<bool> read = read_values(graph);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (node.is_any(kOfAllRows) && read[node.first_output] && has_rows(graph, node.inputs[0]) &&
            !out.alike[node.inputs[0]]) {
            (is_of_all_rows(graph, id) ? out.together : out.in_scans).push_back(id);
        }
    }
    return out;
}

std::vector<bool> needed_beyond_metrics(const Graph& graph) {
    std::vector<ValueId> read;
    for (const graph::Loss& loss : graph.losses) {
        read.push_back(loss.value);
    }
    for (const std::vector<graph::Named>* const list : {&graph.writes, &graph.controls, &graph.state_writes}) {
        for (const graph::Named& named : *list) {
            read.push_back(named.value);
        }
    }
    return graph::ancestors(graph, read);
}

}  // namespace tenon
