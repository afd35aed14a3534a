// SPDX-License-Identifier: Apache-2.0
// Composites that this executor computes in one pass instead of by their bodies, where no gradient is asked for.
#pragma once

#include "graph/graph.hpp"
#include "torch/kernel.hpp"

namespace tenon::reference {

// The graph with those composites as nodes of their own. Their bodies stay where they are, for whoever else reads them.
graph::Graph with_composites(const graph::Graph& graph);

// The kernel of such a node.
at::Tensor composite(const Frame& k, Inputs in);

}  // namespace tenon::reference
