// SPDX-License-Identifier: Apache-2.0
// Splits a linear layer over concatenated inputs into a sum of linear layers, one per input. An input that many rows
// share, such as the features of a state next to each of its candidate actions, is then multiplied only once.
#pragma once

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// See rewriting.hpp.
graph::Graph with_split_linears(const graph::Graph& graph);

}  // namespace tenon::compiled
