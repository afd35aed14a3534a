// SPDX-License-Identifier: Apache-2.0
// The gradient of a scan: a scan that runs backwards over the steps and contains only the path from the gradient of a
// memory to that of the memory one step earlier. Everything else, such as gradients of weights and of sequences, is
// computed for all steps at once from the values of both scans at each step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error/result.hpp"
#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// By value: whether it may have a gradient at all, and whether the gradient of a value outside of scans is wanted.
struct Flow {
    const std::vector<bool>& paths;
    const std::vector<bool>& wanted;
};

// `flowing`: gradients of the scan's outputs; 0 for none. Calls `give` with each value that the scan reads and a
// contribution to its gradient, whose dimensions may differ. The problem names a node inside the scan without a
// gradient.
Status differentiate_scan(Extension& graph, NodeId scan, const Flow& flow, std::span<const ValueId> flowing,
                          const std::function<void(ValueId, ValueId)>& give);

}  // namespace tenon::graph
