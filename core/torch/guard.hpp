// SPDX-License-Identifier: Apache-2.0
// The seam where libtorch's exceptions become problems.
#pragma once

#include <exception>
#include <string>

#include "error/result.hpp"
#include "graph/graph.hpp"

namespace tenon::reference {

// What an exception in flight says, as a problem; `node`: what was being computed, 0 where nothing was.
Problem problem_of(std::exception_ptr thrown, const std::string& program, const graph::Graph& graph,
                   graph::NodeId node);

// "linear/1 of mlp/q_value"
std::string describe(const graph::Graph& graph, graph::NodeId node);

// libtorch counts and sums otherwise with more threads; what is set holds for the calling thread only.
void use_one_thread();

}  // namespace tenon::reference
