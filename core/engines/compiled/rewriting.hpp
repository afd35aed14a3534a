// SPDX-License-Identifier: Apache-2.0
// Replaces nodes of a graph. Values keep their numbers; new values get the next numbers, and their nodes come before
// the nodes that need them.
#pragma once

#include <cstdint>
#include <utility>

#include "compute/gradient/extension.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// `rewrite` is called for each node and may replace it by another one with the same results, using nodes that it adds
// to the extension. Returns the original graph if something could not be added.
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
