// SPDX-License-Identifier: Apache-2.0
// The text form of a graph: one line a node, then what the program is for. Equal graphs give equal text, whatever
// plugin build they came from, so it serves dumps, golden graphs and the check that a resumed run has the graph it had:
// nodes stand in an order of the text's own, without those that nobody needs. And what a person is told of a node:
// whose line it is.
#pragma once

#include <span>
#include <string>

#include "base/error/problem.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::graph {

enum class Places { kShown, kLeftOut };

// `gradients`: values that it shows, too, with what they are gradients of.
std::string text(const Graph& graph, Places places, std::span<const Named> gradients = {});

// The author's line.
Place place_of(const Graph& graph, std::uint32_t source);

// "linear/1 of mlp/q_value"
std::string describe(const Graph& graph, NodeId node);

// A problem at the line of a node.
Problem problem_at(const Graph& graph, NodeId node, std::string sentence);

}  // namespace tenon::graph
