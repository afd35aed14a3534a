// SPDX-License-Identifier: Apache-2.0
// The sequences that have entered a scan's body.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

// The value inside the body that stands for the sequence; 0: the sequence has not entered.
ValueId entered(const Region& scan, ValueId sequence);

// Removes the arguments from number `first` on that only unneeded nodes read. `needed`: by node.
void drop_arguments(Graph& graph, Region& scan, std::size_t first, const std::vector<bool>& needed);

}  // namespace tenon::graph
