// SPDX-License-Identifier: Apache-2.0
// Lets the attention of one query inside a loop read two sets of rows where they are, such as those of a prompt, which
// several answers share, and those of the answer so far. A concatenation would copy both in each step.
#pragma once

#include <cstddef>

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// An attention with so many inputs more than usual has the first rows of its keys and values as inputs 1 and 2, and the
// rows after them as inputs 3 and 4.
inline constexpr std::size_t kInputsOfParts = 2;

bool has_parts(const graph::Graph& graph, const graph::Node& attention);

// After gradients, which need the concatenated rows.
void read_parts(graph::Graph& graph);

}  // namespace tenon::compiled
