// SPDX-License-Identifier: Apache-2.0
// Computes nodes on a sample batch while a graph is being built, so that a debugger in the author's code shows numbers.
#pragma once

#include <cstdint>
#include <span>

#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

class EagerEvaluator {
public:
    virtual ~EagerEvaluator() = default;

    // Called after each node has been added to the graph.
    virtual Status added(const graph::Graph& graph, graph::NodeId node) = 0;

    // Copies up to data.size() elements of a value that has been computed. Returns the number of all its elements.
    virtual Result<std::uint64_t> peek(graph::ValueId value, std::span<double> data) = 0;
};

}  // namespace tenon
