// SPDX-License-Identifier: Apache-2.0
#include "torch/dependence.hpp"

namespace tenon::reference {

using graph::NodeId;
using graph::ValueId;

namespace {

const graph::Region& region_of(const graph::Graph& graph, const graph::Node& node) {
    return graph.regions[static_cast<std::size_t>(graph::int_attribute(node, "region"))];
}

bool any_output(const graph::Node& node, const std::vector<bool>& values) {
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        if (values[node.first_output + i]) {
            return true;
        }
    }
    return false;
}

// The node of the program itself that computes this one: the outermost scan around it, or it.
NodeId outermost(const graph::Graph& graph, NodeId id, const std::vector<NodeId>& scans) {
    std::uint32_t region = scan_of(graph, graph.nodes[id].region);
    while (region != 0) {
        id = scans[region];
        region = scan_of(graph, graph.regions[region].parent);
    }
    return id;
}

std::vector<NodeId> scans_by_region(const graph::Graph& graph) {
    std::vector<NodeId> out(graph.regions.size(), 0);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].op->name == "scan") {
            out[static_cast<std::size_t>(graph::int_attribute(graph.nodes[id], "region"))] = id;
        }
    }
    return out;
}

}  // namespace

void for_each_read(const graph::Graph& graph, NodeId id, const std::function<void(ValueId)>& f) {
    const graph::Node& node = graph.nodes[id];
    for (const ValueId input : node.inputs) {
        f(input);
    }
    if (node.op->name == "scan") {
        for (const ValueId result : region_of(graph, node).results) {
            f(result);
        }
    } else if (node.op->name == "argument") {
        f(region_of(graph, node).arguments[static_cast<std::size_t>(graph::int_attribute(node, "number"))]);
    }
}

std::vector<bool> ancestors(const graph::Graph& graph, const std::vector<ValueId>& of) {
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

std::vector<bool> gradient_paths(const graph::Graph& graph, const std::vector<ValueId>& from) {
    std::vector<bool> paths(graph.values.size(), false);
    for (const ValueId value : from) {
        paths[value] = true;
    }
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()) - 1; id > 0; --id) {
        const graph::Node& node = graph.nodes[id];
        if (any_output(node, paths) && node.op->name != "stop_gradient") {
            for_each_read(graph, id, [&](ValueId value) {
                paths[value] = paths[value] || graph.type(value).kind == graph::Kind::kReal;
            });
        }
    }
    return paths;
}

std::vector<bool> carries_gradient(const graph::Graph& graph, const std::vector<bool>& paths,
                                   const std::vector<ValueId>& targets) {
    std::vector<bool> values(graph.values.size(), false);
    std::vector<bool> nodes(graph.nodes.size(), false);
    for (const ValueId value : targets) {
        values[value] = true;
    }
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (!any_output(node, paths) || node.op->name == "stop_gradient") {
            continue;
        }
        bool reached = any_output(node, values) || scan_of(graph, node.region) != 0;
        for_each_read(graph, id, [&](ValueId value) { reached = reached || (values[value] && paths[value]); });
        nodes[id] = reached;
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            values[node.first_output + i] = reached && paths[node.first_output + i];
        }
    }
    return nodes;
}

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
            for_each_read(graph, id, [&](ValueId value) {
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
