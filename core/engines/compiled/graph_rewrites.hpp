// SPDX-License-Identifier: Apache-2.0
// Rewrites a graph before it is lowered; see rewriting.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// Splits a linear layer over concatenated inputs into a sum of linear layers, one per input. An input that many rows
// share, such as the features of a state next to each of its candidate actions, is then multiplied only once.
graph::Graph with_split_linears(const graph::Graph& graph);

// Rewrites convolutions, transposed ones and pooling to products and reductions over patches, one row per window
// position. Only outside of scans.
graph::Graph with_plain_images(const graph::Graph& graph);

// Rewrites attention to products, comparisons and a softmax, for programs that have no kernel for it.
graph::Graph with_plain_attention(const graph::Graph& graph);

// Lets an attention read the windows of a history as they are: rows that do not count are zeros, but the attention
// leaves them out by itself if it is given the history's first row.
graph::Graph with_attended_windows(const graph::Graph& graph);

// Lets the attention of one query inside a loop read two sets of rows where they are, such as those of a prompt, which
// several answers share, and those of the answer so far. A concatenation would copy both in each step.
//
// An attention with so many inputs more than usual has the first rows of its keys and values as inputs 1 and 2, and the
// rows after them as inputs 3 and 4.
inline constexpr std::size_t kInputsOfParts = 2;

bool has_parts(const graph::Graph& graph, const graph::Node& attention);

// After gradients, which need the concatenated rows.
void read_parts(graph::Graph& graph);

// Replaces scans inside of scans by their steps, written one after the other. Gradients and loops then know only scans
// that contain no others. Only scans that the values depend on are replaced. Scans over time, those with authors'
// kernels in their bodies, and those with too many steps for this stay as they are.
graph::Graph with_unrolled_scans(const graph::Graph& graph, const std::vector<graph::ValueId>& wanted);

}  // namespace tenon::compiled
