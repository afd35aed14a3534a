// SPDX-License-Identifier: Apache-2.0
// Which values depend on which: what an update's schedule follows from.
#pragma once

#include <functional>
#include <vector>

#include "torch/evaluator.hpp"

namespace tenon::reference {

// Which nodes the values depend on, bodies of scans included; by node.
std::vector<bool> ancestors(const graph::Graph& graph, const std::vector<graph::ValueId>& of);

// Calls f with every value that the node's computation reads: its inputs, of a scan its body's results too, of an
// argument what it stands for.
void for_each_read(const graph::Graph& graph, graph::NodeId node, const std::function<void(graph::ValueId)>& f);

// The values through which a gradient may flow to reach `from`; by value. Kinds other than real and stop_gradient end
// it.
std::vector<bool> gradient_paths(const graph::Graph& graph, const std::vector<graph::ValueId>& from);

// Of those values, the ones that depend on a leaf of `targets` by such a path; by node. Inside a scan, all of its body
// that lies on a path.
std::vector<bool> carries_gradient(const graph::Graph& graph, const std::vector<bool>& paths,
                                   const std::vector<graph::ValueId>& targets);

// For each place in order, the values that nobody reads afterwards; `kept` are read later.
std::vector<std::vector<graph::ValueId>> releases(const Evaluator& evaluator, const std::vector<graph::NodeId>& order,
                                                  const std::vector<graph::ValueId>& kept);

}  // namespace tenon::reference
