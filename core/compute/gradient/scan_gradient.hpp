// SPDX-License-Identifier: Apache-2.0
// The gradient of a scan: a scan that runs backwards over the steps and contains only the path from the gradient of a
// memory to that of the memory one step earlier. Everything else, such as gradients of weights and of sequences, is
// computed for all steps at once from the values of both scans at each step.
//
// This works because only gradients of memories depend on another step. Any other gradient at a step is a function of
// what the two scans have computed at the same step. Once their values are known as sequences, the node that gives it
// for one step gives it for all steps, if the node computes each step independently; other nodes are refused. So the
// loop, which cannot be parallel, stays short, and the large products (of weights) have as many rows as there are
// steps.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// For each value: whether it may have a gradient at all, and whether the gradient of a value outside of scans is
// wanted.
struct Flow {
    const std::vector<bool>& paths;
    const std::vector<bool>& wanted;
};

// Gradients that flow into a scan: of its outputs, 0 for none, and of values inside it at each step (the op steps_of),
// which gradients of the scan have read.
struct Flowing {
    std::span<const ValueId> outputs;
    std::span<const std::pair<ValueId, ValueId>> inside;  // value and gradient
};

// Calls `give` with each value that the scan reads and a contribution to its gradient, whose dimensions may differ. The
// problem names a node inside the scan without a gradient.
Status differentiate_scan(Extension& graph, NodeId scan, const Flow& flow, const Flowing& flowing,
                          const std::function<void(ValueId, ValueId)>& give);

}  // namespace tenon::graph
