// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "compute/graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::OpId;
using graph::ValueId;

// The node, if the value is two sets of rows one after the other; else null.
const Node* two_parts(const graph::Graph& graph, ValueId value) {
    const Node& node = graph.node_of(value);
    const bool found = node.is(OpId::kConcat_2) && node.inputs.size() == 2 && graph::int_attribute(node, "axis") == -2;
    return found ? &node : nullptr;
}

std::int64_t rows_of(const graph::Graph& graph, ValueId value) {
    const auto sizes = graph.type(value).sizes();
    return sizes[sizes.size() - 2];
}

}  // namespace

bool has_parts(const graph::Graph& graph, const Node& attention) {
    // With a mask there are 6 inputs, without one 5; otherwise 4 or 3.
    return attention.is(OpId::kAttention_1) && attention.inputs.size() > 2 + kInputsOfParts &&
           graph.type(attention.inputs[4]).kind == graph::Kind::kReal;
}

void read_parts(graph::Graph& graph) {
    for (Node& node : graph.nodes) {
        if (!node.is(OpId::kAttention_1) || graph::scan_of(graph, node.region) == 0 || has_parts(graph, node) ||
            graph::int_attribute(node, "causal") != 0 || rows_of(graph, node.inputs[0]) != 1 ||
            (node.inputs.size() > 3 && graph.type(node.inputs[3]).kind != graph::Kind::kBool)) {
            continue;
        }
        const Node* const keys = two_parts(graph, node.inputs[1]);
        const Node* const values = two_parts(graph, node.inputs[2]);
        if (keys == nullptr || values == nullptr || graph.type(node.first_output).has(graph::kTime) ||
            rows_of(graph, keys->inputs[0]) != rows_of(graph, values->inputs[0])) {
            continue;
        }
        std::vector<ValueId> inputs{node.inputs[0], keys->inputs[0], values->inputs[0], keys->inputs[1],
                                    values->inputs[1]};
        inputs.insert(inputs.end(), node.inputs.begin() + 3, node.inputs.end());
        node.inputs = std::move(inputs);
    }
}

}  // namespace tenon::compiled
