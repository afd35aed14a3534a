// SPDX-License-Identifier: Apache-2.0
// Differentiates a graph: adds the nodes that compute the gradients of a value. Each has the source of the node that it
// differentiates.
#pragma once

#include <vector>

#include "base/error/result.hpp"
#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// The gradients of the scalar `total` with respect to each of `leaves`; 0 where it does not depend on the leaf. The
// problem names a node without a gradient.
Result<std::vector<ValueId>> add_gradients(Extension& graph, ValueId total, const std::vector<ValueId>& leaves);

}  // namespace tenon::graph
