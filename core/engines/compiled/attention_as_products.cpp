// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/graph_rewrites.hpp"

#include <utility>

#include "compute/gradient/plain_attention.hpp"
#include "engines/compiled/rewriting.hpp"

namespace tenon::compiled {

graph::Graph with_plain_attention(const graph::Graph& graph) {
    return rewritten(graph, [](graph::Extension& extension, graph::Node& node) {
        if (node.is(graph::OpId::kAttention_1)) {
            graph::Node plain = extension.graph().node_of(graph::plain_attention(extension, node));
            node.op = plain.op;
            node.inputs = std::move(plain.inputs);
            node.attributes = std::move(plain.attributes);
        }
    });
}

}  // namespace tenon::compiled
