// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/dependence.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tenon::graph {
namespace {

const Region& region_of(const Graph& graph, const Node& node) {
    return graph.regions[static_cast<std::size_t>(int_attribute(node, "region"))];
}

bool any_output(const Node& node, const std::vector<bool>& values) {
    const auto first = values.begin() + node.first_output;
    return std::any_of(first, first + node.output_count, std::identity());
}

}  // namespace

std::uint32_t scan_of(const Graph& graph, std::uint32_t region) {
    while (region != 0 && !graph.regions[region].scan) {
        region = graph.regions[region].parent;
    }
    return region;
}

std::size_t depth_of(const Graph& graph, std::uint32_t region) {
    std::size_t depth = 0;
    for (; region != 0; region = graph.regions[region].parent) {
        ++depth;
    }
    return depth;
}

std::vector<ValueId> effects_of(const Graph& graph, bool writes_state) {
    std::vector<ValueId> out;
    for (const auto* list : {&graph.writes, &graph.metrics, &graph.controls, &graph.checks, &graph.prints}) {
        std::ranges::transform(*list, std::back_inserter(out), &Named::value);
    }
    for (std::size_t i = 0; writes_state && i < graph.state_writes.size(); ++i) {
        out.push_back(graph.state_writes[i].value);
    }
    return out;
}

void for_each_read(const Graph& graph, NodeId id, const std::function<void(ValueId)>& f) {
    const Node& node = graph.nodes[id];
    for (const ValueId input : node.inputs) {
        f(input);
    }
    if (node.is_any(kScans)) {
        for (const ValueId result : region_of(graph, node).results) {
            f(result);
        }
    } else if (node.is(OpId::kArgument_1)) {
        // An argument that its scan has dropped stands for nothing. Unneeded nodes may still read it.
        const Region& region = region_of(graph, node);
        const auto number = static_cast<std::size_t>(int_attribute(node, "number"));
        if (number < region.inputs.size() && region.inputs[number] == node.first_output) {
            f(region.arguments[number]);
        }
    } else if (node.is(OpId::kStepsOf_1)) {
        f(static_cast<ValueId>(int_attribute(node, "value")));
    }
}

std::vector<bool> ancestors(const Graph& graph, const std::vector<ValueId>& of) {
    std::vector<bool> wanted(graph.values.size(), false);
    std::vector<bool> needed(graph.nodes.size(), false);
    for (const ValueId value : of) {
        wanted[value] = true;
    }
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()) - 1; id > 0; --id) {
        if (any_output(graph.nodes[id], wanted)) {
            needed[id] = true;
            for_each_read(graph, id, [&](ValueId value) { wanted[value] = true; });
        }
    }
    return needed;
}

std::vector<bool> gradient_paths(const Graph& graph, const std::vector<ValueId>& from) {
    std::vector<bool> paths(graph.values.size(), false);
    for (const ValueId value : from) {
        paths[value] = true;
    }
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()) - 1; id > 0; --id) {
        const Node& node = graph.nodes[id];
        if (any_output(node, paths) && !node.is(OpId::kStopGradient_1)) {
            for_each_read(graph, id,
                          [&](ValueId value) { paths[value] = paths[value] || graph.type(value).kind == Kind::kReal; });
        }
    }
    return paths;
}

std::vector<bool> carries_gradient(const Graph& graph, const std::vector<bool>& paths,
                                   const std::vector<ValueId>& targets, std::span<const std::uint32_t> open) {
    std::vector<bool> values(graph.values.size(), false);
    std::vector<bool> nodes(graph.nodes.size(), false);
    for (const ValueId value : targets) {
        values[value] = true;
    }
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!any_output(node, paths) || node.is(OpId::kStopGradient_1)) {
            continue;
        }
        const std::uint32_t scan = scan_of(graph, node.region);
        bool reached = any_output(node, values) || (scan != 0 && std::ranges::find(open, scan) == open.end());
        for_each_read(graph, id, [&](ValueId value) { reached = reached || values[value]; });
        nodes[id] = reached;
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            values[node.first_output + i] = reached && paths[node.first_output + i];
        }
    }
    return nodes;
}

}  // namespace tenon::graph
