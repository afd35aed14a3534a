// SPDX-License-Identifier: Apache-2.0
// The text form of a graph: one line per node, then what the program is for. Equal graphs have equal texts, whatever
// build of a plugin made them. So the text serves as a dump, as a golden graph, and for the check that a resumed run
// has the same graph: it has another order and leaves out unneeded nodes. This file also has the functions that
// name a node and its author's line in messages.
#pragma once

#include <span>
#include <string>

#include "base/error/problem.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::graph {

enum class Places { kShown, kLeftOut };

// `gradients`: further values that it shows, by the names of the values that they are gradients of.
std::string text(const Graph& graph, Places places, std::span<const Named> gradients = {});

// The author's line.
Place place_of(const Graph& graph, std::uint32_t source);

// "linear/1 of mlp/q_value"
std::string describe(const Graph& graph, NodeId node);

// A problem at the line of a node.
Problem problem_at(const Graph& graph, NodeId node, std::string sentence);

}  // namespace tenon::graph
