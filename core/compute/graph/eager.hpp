// SPDX-License-Identifier: Apache-2.0
// Computing nodes while a graph is being built, on a sample batch, so that a debugger in the author's code shows
// numbers.
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

    // Copies up to data.size() elements of a value that has been computed; the result is their full number.
    virtual Result<std::uint64_t> peek(graph::ValueId value, std::span<double> data) = 0;
};

}  // namespace tenon
