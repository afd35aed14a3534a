// SPDX-License-Identifier: Apache-2.0
// Rewrites attention to products, comparisons and a softmax, for programs that have no kernel for it.
#pragma once

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

graph::Graph with_plain_attention(const graph::Graph& graph);

}  // namespace tenon::compiled
