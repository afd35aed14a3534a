// SPDX-License-Identifier: Apache-2.0
// The order of one update for one set of due stages: which nodes run in which phase, with gradients or without, which
// stages step after it, and which parameters must be copied because they are read after they have changed.
//
// Phase 0 computes what depends on no stage's outcome, and the gradients of the stages whose losses do; then those
// stages step in their order. A parameter read after stage S belongs to the phase after that of S, and so on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/program.hpp"
#include "torch/leaves.hpp"

namespace tenon::reference {

// When a leaf's value is taken from its slab, and whether by copy.
struct Birth {
    std::size_t leaf = 0;
    bool copy = false;
    bool differentiable = false;
};

// A parameter of an owned network and the leaves through which the stage's loss depends on it (none: gradient zero).
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
    std::vector<bool> with_gradient;                   // by place in order
    std::vector<std::vector<graph::ValueId>> release;  // after each
    std::vector<StageRun> stages;
};

struct Schedule {
    std::uint64_t due = 0;
    std::vector<Birth> births;  // before phase 0
    std::vector<Phase> phases;
    std::vector<std::uint32_t> phase_of_value;
};

// What an update is made of, apart from which stages are due.
struct UpdateParts {
    const Evaluator& evaluator;
    std::span<const StagePlan> stages;
    const std::vector<Leaf>& leaves;
    const Learner& learner;
    const std::vector<graph::ValueId>& effects;  // values read apart from losses
};

// `due`: a bit a stage. The problem is a stage whose losses depend on nothing it owns.
Result<Schedule> make_schedule(const UpdateParts& parts, std::uint64_t due);

}  // namespace tenon::reference
