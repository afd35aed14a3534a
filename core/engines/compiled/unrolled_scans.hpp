// SPDX-License-Identifier: Apache-2.0
// Replaces scans inside of scans by their steps, written one after the other. Gradients and loops then know only scans
// that contain no others.
#pragma once

#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// Of the scans that the values depend on. Scans over time, those with authors' kernels in their bodies, and those with
// too many steps for this stay as they are.
graph::Graph with_unrolled_scans(const graph::Graph& graph, const std::vector<graph::ValueId>& wanted);

}  // namespace tenon::compiled
