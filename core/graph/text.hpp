// SPDX-License-Identifier: Apache-2.0
// The text form of a graph: one line a node, then what the program is for. Equal graphs give equal text, whatever
// plugin build they came from, so it serves dumps, golden graphs and the check that a resumed run has the graph it had.
#pragma once

#include <string>

#include "graph/graph.hpp"

namespace tenon::graph {

enum class Places { kShown, kLeftOut };

std::string text(const Graph& graph, Places places);

}  // namespace tenon::graph
