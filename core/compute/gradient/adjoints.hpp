// SPDX-License-Identifier: Apache-2.0
// The gradients of an op's inputs from the gradient of its result, as ops.toml defines them.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/gradient/expression.hpp"

namespace tenon::graph {

// A node that is being differentiated. The gradients of its inputs have their type, or more leading dimensions.
struct Differentiated {
    Extension& graph;
    const Node node;  // a copy, because nodes move when the graph grows
    V y;
    std::vector<bool> wanted = {};  // by input
    std::vector<V> out;             // by input; has no graph if there is no gradient

    [[nodiscard]] V in(std::size_t i) const { return {&graph, node.inputs[i]}; }

    template <class Make>
    void give(std::size_t i, Make make) {
        if (i < wanted.size() && wanted[i]) {
            out[i] = make();
            out[i] = out[i].in == nullptr ? V(&graph, graph.constant(out[i].number)) : out[i];
        }
    }
};

using Adjoint = void (*)(Differentiated&, V gradient);

// The rule for an op's gradients; null if ops.toml has none.
Adjoint adjoint_of(const OpDef& op);

}  // namespace tenon::graph
