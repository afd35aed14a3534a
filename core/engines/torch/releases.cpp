// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/releases.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"

namespace tenon::reference {

using graph::NodeId;
using graph::ValueId;

namespace {

// The node of the main program that computes this one: the outermost scan around it, or the node itself.
NodeId outermost(const graph::Graph& graph, NodeId id, const std::vector<NodeId>& scans) {
    std::uint32_t region = graph::scan_of(graph, graph.nodes[id].region);
    while (region != 0) {
        id = scans[region];
        region = graph::scan_of(graph, graph.regions[region].parent);
    }
    return id;
}

std::vector<NodeId> scans_by_region(const graph::Graph& graph) {
    std::vector<NodeId> out(graph.regions.size(), 0);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].is_any(graph::kScans)) {
            out[static_cast<std::size_t>(graph::int_attribute(graph.nodes[id], "region"))] = id;
        }
    }
    return out;
}

}  // namespace

std::vector<std::vector<ValueId>> releases(const Evaluator& evaluator, const std::vector<NodeId>& order,
                                           const std::vector<ValueId>& kept) {
    const graph::Graph& graph = evaluator.graph();
    constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    std::vector<std::size_t> place(graph.nodes.size(), kNever);
    std::vector<std::size_t> last(graph.values.size(), kNever);
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        for (std::uint32_t output = 0; output < graph.nodes[order[i]].output_count; ++output) {
            last[graph.nodes[order[i]].first_output + output] = i;
        }
    }
    const std::vector<NodeId> scans = scans_by_region(graph);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const std::size_t at = place[outermost(graph, id, scans)];
        if (at != kNever) {
            graph::for_each_read(graph, id, [&](ValueId value) {
                last[value] = last[value] == kNever ? kNever : std::max(last[value], at);
            });
        }
    }
    for (const ValueId value : kept) {
        last[value] = kNever;
    }
    std::vector<std::vector<ValueId>> out(order.size());
    for (ValueId value = 1; value < last.size(); ++value) {
        if (last[value] != kNever && !evaluator.persists(value)) {
            out[last[value]].push_back(value);
        }
    }
    return out;
}

}  // namespace tenon::reference
