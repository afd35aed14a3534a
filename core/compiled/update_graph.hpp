// SPDX-License-Identifier: Apache-2.0
// The graph of one update for one set of due stages: the plugins' graph, its reduced losses, and their gradients.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "error/result.hpp"
#include "exec/phases.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// Further conditions that change the graph.
struct Variant {
    DueStages due = 0;
    bool gradients = true;
    bool mask = false;  // the batch has one
    bool weight = false;
    bool operator==(const Variant&) const = default;
};

struct Gradient {
    std::size_t network = 0;
    std::size_t parameter = 0;
    graph::ValueId value = 0;  // 0: no gradient reaches it
};

// A parameter that is read after it has changed, or before the stage after which it should be read.
struct Copied {
    graph::NodeId node = 0;
    std::ptrdiff_t after = -1;  // index in the sequence of stages; -1: at the beginning
};

struct StageRun {
    std::uint32_t stage = 0;
    std::uint32_t phase = 0;
    std::vector<std::uint32_t> losses;  // of the graph
    std::vector<Gradient> gradients;
};

struct UpdateGraph {
    graph::Graph graph;
    std::vector<bool> needed;          // by node
    std::vector<std::uint32_t> phase;  // by node
    std::uint32_t phases = 1;
    std::vector<StageRun> sequence;      // due stages in the order of their steps
    std::vector<graph::ValueId> totals;  // of each loss; 0 if it is not due
    std::vector<Copied> copies;
    std::vector<graph::Named> gradients;  // of all stages, "role/parameter", for dumps

    [[nodiscard]] std::uint32_t phase_of(graph::ValueId value) const { return phase[graph.values[value].node]; }
};

// The problem names what cannot be differentiated on the graph.
Result<UpdateGraph> make_update_graph(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                      const Learner& learner, const Variant& variant);

}  // namespace tenon::compiled
