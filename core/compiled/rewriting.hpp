// SPDX-License-Identifier: Apache-2.0
// A graph of which some nodes have become others. Values keep their numbers; new ones come after them, and their nodes
// before those that need them.
#pragma once

#include <cstdint>
#include <utility>

#include "gradient/extension.hpp"
#include "graph/graph.hpp"

namespace tenon::compiled {

// `rewrite` is called with each node and may make it another one of the same results, from what it adds to the
// extension. The graph as it was where something could not be added.
template <class Rewrite>
graph::Graph rewritten(const graph::Graph& from, Rewrite rewrite) {
    graph::Graph out = from;
    out.nodes.resize(1);
    graph::Extension extension(out);
    for (graph::NodeId id = 1; id < from.nodes.size(); ++id) {
        graph::Node node = from.nodes[id];
        extension.at_source(node.source);
        rewrite(extension, node);
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            out.values[node.first_output + i].node = static_cast<graph::NodeId>(out.nodes.size());
        }
        out.nodes.push_back(std::move(node));
    }
    if (!extension.status()) {
        return from;
    }
    return out;
}

}  // namespace tenon::compiled
