// SPDX-License-Identifier: Apache-2.0
// Lets an attention read the windows of a history as they are: rows that do not count are zeros, but the attention
// leaves them out by itself if it is given the history's first row.
#pragma once

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

graph::Graph with_attended_windows(const graph::Graph& graph);

}  // namespace tenon::compiled
