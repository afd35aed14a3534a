// SPDX-License-Identifier: Apache-2.0
// The order of one update for one set of due stages: which nodes run in which phase, with or without gradients, which
// stages step after it, and which parameters must be copied because they are read after they have changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/phases.hpp"
#include "exec/program.hpp"
#include "torch/leaves.hpp"

namespace tenon::reference {

// When a leaf's value is read from its slab, and whether it is copied.
struct Birth {
    std::size_t leaf = 0;
    bool copy = false;
    bool differentiable = false;
};

// A parameter of an owned network, and the leaves through which the stage's loss depends on it (none: gradient zero).
struct Gradient {
    std::uint32_t network = 0;
    std::size_t parameter = 0;
    std::vector<graph::ValueId> leaves;
};

struct StageRun {
    std::uint32_t stage = 0;
    std::vector<std::uint32_t> losses;  // of the graph
    std::vector<Gradient> gradients;
    std::vector<Birth> births;  // after its step
};

struct Phase {
    std::vector<graph::NodeId> order;
    std::vector<bool> with_gradient;                   // by position in order
    std::vector<std::vector<graph::ValueId>> release;  // after each node
    std::vector<StageRun> stages;
};

struct Schedule {
    DueStages due = 0;
    std::vector<Birth> births;  // before phase 0
    std::vector<Phase> phases;
    std::vector<std::uint32_t> phase_of_node;
};

// The parts of an update that do not depend on which stages are due.
struct UpdateParts {
    const Evaluator& evaluator;
    std::span<const StagePlan> stages;
    const std::vector<Leaf>& leaves;
    const Learner& learner;
    const std::vector<graph::ValueId>& effects;  // values that are read other than losses
};

// The problem is a stage whose losses do not depend on its networks.
Result<Schedule> make_schedule(const UpdateParts& parts, DueStages due);

}  // namespace tenon::reference
