// SPDX-License-Identifier: Apache-2.0
// The gradient of a value with respect to another one of the same graph, for the op gradient/1. The graph is still
// being built: the nodes of the gradient are appended to it, and are then nodes like those of an author.
#pragma once

#include "base/error/result.hpp"
#include "compute/graph/context.hpp"

namespace tenon::graph {

// The problem says what has no gradient, or no second one, at its line; without a line, that there is no path.
Result<ValueId> add_derivative(Graph& graph, const Derivative& wanted);

}  // namespace tenon::graph
