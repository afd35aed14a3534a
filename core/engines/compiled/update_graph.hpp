// SPDX-License-Identifier: Apache-2.0
// The graph that is compiled for one plan: the plan's graph, rewritten for the compiler, with the gradients of its
// losses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error/result.hpp"
#include "compute/exec/phase_plan.hpp"

namespace tenon::compiled {

// A parameter that is read after it has changed, or before the stage after which it should be read.
struct Copied {
    graph::NodeId node = 0;
    // the stage after which it is read, as an index in the sequence of stages; -1: the beginning
    std::ptrdiff_t after = -1;
};

struct UpdateGraph {
    graph::Graph graph;
    std::vector<bool> needed;                            // by node
    std::vector<std::uint32_t> phase;                    // by node
    std::vector<std::vector<graph::ValueId>> gradients;  // by place and parameter; 0: none reaches it
    std::vector<Copied> copies;
    std::vector<graph::Named> named_gradients;  // of all stages, "role/parameter", for dumps

    [[nodiscard]] std::uint32_t phase_of(graph::ValueId value) const { return phase[graph.values[value].node]; }
};

// The problem names what cannot be differentiated on the graph. `plain`: the program has no kernel for attention, so it
// becomes products.
Result<UpdateGraph> make_update_graph(const PhasePlan& plan, std::span<const StagePlan> stages, const Learner& learner,
                                      bool plain = false);

}  // namespace tenon::compiled
