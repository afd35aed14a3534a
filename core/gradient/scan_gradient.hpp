// SPDX-License-Identifier: Apache-2.0
// The gradient of a scan: a scan that goes back over the steps and holds only what leads from the gradient of a memory
// to that of the memory a step earlier. Everything else, the gradients of weights and of sequences, is computed for all
// steps at once from what the two scans were at each.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "error/result.hpp"
#include "gradient/extension.hpp"

namespace tenon::graph {

// By value: whether a gradient may flow there at all, and whether one is wanted of what stands outside of scans.
struct Flow {
    const std::vector<bool>& paths;
    const std::vector<bool>& wanted;
};

// `flowing`: gradients of the scan's outputs; 0: none. Calls `give` with a value that the scan reads and a part of its
// gradient, whose dimensions may be others. The problem is a node inside of it whose gradient nobody knows.
Status differentiate_scan(Extension& graph, NodeId scan, const Flow& flow, std::span<const ValueId> flowing,
                          const std::function<void(ValueId, ValueId)>& give);

}  // namespace tenon::graph
