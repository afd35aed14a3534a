// SPDX-License-Identifier: Apache-2.0
// Filters and pools over images, as what products and reductions are made of: the patches below the window, a row each.
#pragma once

#include "graph/graph.hpp"

namespace tenon::compiled {

// Outside of scans; as in rewriting.hpp.
graph::Graph with_plain_images(const graph::Graph& graph);

}  // namespace tenon::compiled
