// SPDX-License-Identifier: Apache-2.0
// Converts libtorch's exceptions to problems.
#pragma once

#include <exception>
#include <string>

#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::reference {

// The exception as a problem; `node`: the node being computed, or 0.
Problem problem_of(std::exception_ptr thrown, const std::string& program, const graph::Graph& graph,
                   graph::NodeId node);

// libtorch sums in another order with more threads. The setting applies only to the calling thread.
void use_one_thread();

}  // namespace tenon::reference
