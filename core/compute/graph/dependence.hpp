// SPDX-License-Identifier: Apache-2.0
// Which values of a graph depend on which, and along which paths a gradient may flow.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

// The scan to whose body a node belongs. A composite belongs to the scan around it.
std::uint32_t scan_of(const Graph& graph, std::uint32_t region);

// The number of regions that contain a node of that region, itself included.
std::size_t depth_of(const Graph& graph, std::uint32_t region);

// Which nodes the values depend on, bodies of scans included; by node.
std::vector<bool> ancestors(const Graph& graph, const std::vector<ValueId>& of);

// Values that are read apart from losses: outputs, metrics, controls, checks, prints, and states if they are written.
std::vector<ValueId> effects_of(const Graph& graph, bool writes_state);

// Calls f with every value that the node's computation reads: its inputs; for a scan also its body's results; for an
// argument the value that it stands for; and for a node steps_of the value inside the scan.
void for_each_read(const Graph& graph, NodeId node, const std::function<void(ValueId)>& f);

// The values through which a gradient may flow to reach `from`; by value. Kinds other than real and stop_gradient end
// it.
std::vector<bool> gradient_paths(const Graph& graph, const std::vector<ValueId>& from);

// Of those values, the ones that depend on a leaf of `targets` along such a path; by node. Of a scan, all nodes of its
// body that are on a path, unless it is one of the `open` ones.
std::vector<bool> carries_gradient(const Graph& graph, const std::vector<bool>& paths,
                                   const std::vector<ValueId>& targets, std::span<const std::uint32_t> open = {});

}  // namespace tenon::graph
