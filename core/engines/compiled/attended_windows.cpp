// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::OpId;
using graph::ValueId;

const Node& before_unsqueezes(const graph::Graph& graph, ValueId value) {
    const Node* node = &graph.node_of(value);
    while (node->is(OpId::kUnsqueeze_1)) {
        node = &graph.node_of(node->inputs[0]);
    }
    return *node;
}

// The windows of which `value` has zeros in place of the rows before `first`; else 0.
ValueId windows_behind(const graph::Graph& graph, ValueId value, ValueId first) {
    const Node& hidden = graph.node_of(value);
    if (!hidden.is(OpId::kWhere_1) || !graph.node_of(hidden.inputs[1]).is(OpId::kWindows_1)) {
        return 0;
    }
    const Node& zero = graph.node_of(hidden.inputs[2]);
    const Node& counts = before_unsqueezes(graph, hidden.inputs[0]);
    const bool known = zero.is(OpId::kConstant_1) && graph::float_attribute(zero, "value") == 0 &&
                       counts.is(OpId::kGe_1) &&
                       before_unsqueezes(graph, counts.inputs[1]).first_output == graph.node_of(first).first_output;
    return known ? hidden.inputs[1] : 0;
}

}  // namespace

graph::Graph with_attended_windows(const graph::Graph& graph) {
    graph::Graph out = graph;
    for (Node& node : out.nodes) {
        if (!node.is(OpId::kAttention_1) || node.inputs.size() < 4) {
            continue;
        }
        const ValueId keys = windows_behind(graph, node.inputs[1], node.inputs[3]);
        const ValueId values = windows_behind(graph, node.inputs[2], node.inputs[3]);
        if (keys != 0 && values != 0) {
            node.inputs[1] = keys;
            node.inputs[2] = values;
        }
    }
    return out;
}

}  // namespace tenon::compiled
