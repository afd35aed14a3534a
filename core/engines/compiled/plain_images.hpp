// SPDX-License-Identifier: Apache-2.0
// Rewrites convolutions, transposed ones and pooling to products and reductions over patches, one row per window
// position.
#pragma once

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// Only outside of scans; see rewriting.hpp.
graph::Graph with_plain_images(const graph::Graph& graph);

}  // namespace tenon::compiled
