// SPDX-License-Identifier: Apache-2.0
// From the gradient of an op's result those of its inputs, as ops.toml says.
#pragma once

#include <cstddef>
#include <vector>

#include "gradient/expression.hpp"

namespace tenon::graph {

// A node that is being differentiated. Its inputs' gradients have their type, or more leading dimensions.
struct Differentiated {
    Extension& graph;
    const Node node;  // its own: nodes move as the graph grows
    V y;
    V g;
    std::vector<bool> wanted;  // by input
    std::vector<V> out;        // by input; a graph is missing where none flows

    [[nodiscard]] V in(std::size_t i) const { return {&graph, node.inputs[i]}; }

    template <class Make>
    void give(std::size_t i, Make make) {
        if (i < wanted.size() && wanted[i]) {
            out[i] = make();
            out[i] = out[i].in == nullptr ? V(&graph, graph.constant(out[i].number)) : out[i];
        }
    }
};

using Adjoint = void (*)(Differentiated&);

// Null: the table does not say.
Adjoint adjoint_of(const OpDef& op);

}  // namespace tenon::graph
