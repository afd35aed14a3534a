// SPDX-License-Identifier: Apache-2.0
// The fused nodes of a program, and what can be wrong with them before it runs.
#pragma once

#include <vector>

#include "data/dtype.hpp"
#include "error/problem.hpp"
#include "graph/graph.hpp"

namespace tenon {

struct FusedUse {
    graph::NodeId node = 0;
    std::vector<bool> wanted;  // by input: whether a loss reaches a parameter through it
};

// Those that a loss or anything else needs, in order.
std::vector<FusedUse> fused_uses(const graph::Graph& graph);

// Kernels of another dtype, and those that something is to be learnt through and cannot.
Problems check_fused(const graph::Graph& graph, DType real);

}  // namespace tenon
