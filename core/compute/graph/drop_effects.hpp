// SPDX-License-Identifier: Apache-2.0
// Removes the losses, metrics and other effects of a graph. A caller then adds those that it needs.
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
