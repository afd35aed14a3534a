// SPDX-License-Identifier: Apache-2.0
// A linear layer over things that stand side by side, of which some are the same for many rows (the features of a state
// beside each of the actions that are tried there), is the sum of a linear layer over each: what is repeated goes
// through its own once.
#pragma once

#include "graph/graph.hpp"

namespace tenon::compiled {

// As in rewriting.hpp.
graph::Graph with_split_linears(const graph::Graph& graph);

}  // namespace tenon::compiled
