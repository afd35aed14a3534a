// SPDX-License-Identifier: Apache-2.0
// The sequences that have entered a scan's body.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

// What stands for it inside; 0: it has not entered.
ValueId entered(const Region& scan, ValueId sequence);

// Those from the argument `first` on that only nodes read which nobody needs, by node, leave it again.
void drop_arguments(Graph& graph, Region& scan, std::size_t first, const std::vector<bool>& needed);

}  // namespace tenon::graph
