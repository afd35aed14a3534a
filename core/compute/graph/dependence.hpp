// SPDX-License-Identifier: Apache-2.0
// Which values of a graph depend on which, and by which ways a gradient may flow.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

// The region of scans that a node's computation is part of: composites have none of their own.
std::uint32_t scan_of(const Graph& graph, std::uint32_t region);

// How many regions are around a node of that region.
std::size_t depth_of(const Graph& graph, std::uint32_t region);

// Which nodes the values depend on, bodies of scans included; by node.
std::vector<bool> ancestors(const Graph& graph, const std::vector<ValueId>& of);

// Values that somebody reads besides losses: outputs, metrics, controls, checks, prints, and states where they are
// written.
std::vector<ValueId> effects_of(const Graph& graph, bool writes_state);

// Calls f with every value that the node's computation reads: its inputs, of a scan its body's results too, of an
// argument what it stands for, and what is wanted of a scan's steps.
void for_each_read(const Graph& graph, NodeId node, const std::function<void(ValueId)>& f);

// The values through which a gradient may flow to reach `from`; by value. Kinds other than real and stop_gradient end
// it.
std::vector<bool> gradient_paths(const Graph& graph, const std::vector<ValueId>& from);

// Of those values, the ones that depend on a leaf of `targets` by such a path; by node. Inside a scan, all of its body
// that lies on a path.
std::vector<bool> carries_gradient(const Graph& graph, const std::vector<bool>& paths,
                                   const std::vector<ValueId>& targets);

}  // namespace tenon::graph
