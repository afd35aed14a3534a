// SPDX-License-Identifier: Apache-2.0
// A graph of which nobody reads anything, to which a caller adds what it wants to know of its values.
#pragma once

#include "compute/graph/graph.hpp"

namespace tenon::graph {

inline void drop_effects(Graph& graph) {
    graph.losses.clear();
    for (auto* const list :
         {&graph.writes, &graph.metrics, &graph.controls, &graph.state_writes, &graph.checks, &graph.prints}) {
        list->clear();
    }
}

}  // namespace tenon::graph
