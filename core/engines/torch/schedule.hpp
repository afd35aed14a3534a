// SPDX-License-Identifier: Apache-2.0
// How libtorch computes a plan: the order of the nodes of each phase, with or without gradients; the leaves through
// which a stage's losses depend on its parameters; and the parameters that must be copied because they are read after
// they have changed.
#pragma once

#include <span>
#include <vector>

#include "compute/exec/phase_plan.hpp"
#include "engines/torch/evaluator.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {

// When a leaf's value is read from its slab, and whether it is copied.
struct Birth {
    std::size_t leaf = 0;
    bool copy = false;
    bool differentiable = false;
};

struct Order {
    std::vector<graph::NodeId> nodes;
    std::vector<bool> with_gradient;                   // by position in nodes
    std::vector<std::vector<graph::ValueId>> release;  // after each node
};

struct StageLeaves {
    std::vector<std::vector<graph::ValueId>> of;  // by parameter of the stage; none: its gradient is zero
    std::vector<Birth> births;                    // after the stage's step
};

struct Schedule {
    const PhasePlan* plan = nullptr;
    std::vector<Birth> births;  // before phase 0
    std::vector<Order> phases;
    std::vector<StageLeaves> stages;  // by place in PhasePlan::sequence
};

// The inputs of make_schedule that are the same for every plan with the same graph.
struct ScheduleParts {
    const Evaluator& evaluator;
    std::span<const StagePlan> stages;
    const std::vector<Leaf>& leaves;
};

// The problem is a stage whose losses do not depend on its networks.
Result<Schedule> make_schedule(const ScheduleParts& parts, const PhasePlan& plan);

}  // namespace tenon::reference
