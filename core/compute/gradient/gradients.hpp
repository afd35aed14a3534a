// SPDX-License-Identifier: Apache-2.0
// Differentiates a graph: adds the nodes that compute the gradients of a value. Each has the source of the node that it
// differentiates.
//
// This is reverse mode. A node's inputs always have smaller numbers than the node, so going through the nodes from the
// last to the first meets all readers of a value before the node that computes it. When a node's turn comes, the
// gradient of its result is therefore the sum of what its readers have contributed, and the op's rule (adjoints.hpp)
// turns it into contributions to the node's inputs. Only nodes on a path from a leaf to the total are visited. A scan
// is one node here; scan_gradient.hpp differentiates its body.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error/result.hpp"
#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// How gradients are made that an author has asked for, while the graph is still being built.
struct Within {
    std::vector<std::uint32_t> scans = {};  // that are open: their bodies are differentiated like the program itself
    bool again = false;                     // the gradients may be differentiated, which fused nodes do not allow
};

// The gradients of the sum of `total` with respect to each of `leaves`; 0 where it does not depend on the leaf. The
// problem names a node without a gradient.
Result<std::vector<ValueId>> add_gradients(Extension& graph, ValueId total, const std::vector<ValueId>& leaves,
                                           const Within& within = {});

}  // namespace tenon::graph
