// SPDX-License-Identifier: Apache-2.0
// The fused nodes of a program, and checks of them before it runs.
#pragma once

#include <vector>

#include "base/data/dtype.hpp"
#include "base/error/problem.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

struct FusedUse {
    graph::NodeId node = 0;
    std::vector<bool> wanted;  // by input: whether it connects a parameter with a loss
};

// The nodes that a loss or an effect needs, in order.
std::vector<FusedUse> fused_uses(const graph::Graph& graph);

// Reports kernels of another dtype, and kernels that need a gradient and have none.
Problems check_fused(const graph::Graph& graph, DType real);

}  // namespace tenon
