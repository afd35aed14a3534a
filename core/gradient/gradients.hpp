// SPDX-License-Identifier: Apache-2.0
// Differentiates a graph: adds the nodes that compute the gradients of a value, each with the source of the node that
// it is the gradient of.
#pragma once

#include <vector>

#include "error/result.hpp"
#include "gradient/extension.hpp"

namespace tenon::graph {

// Of `total`, a number, by each of `leaves`; 0 where it does not depend on it. The problem is a node whose gradient
// nobody knows.
Result<std::vector<ValueId>> add_gradients(Extension& graph, ValueId total, const std::vector<ValueId>& leaves);

}  // namespace tenon::graph
