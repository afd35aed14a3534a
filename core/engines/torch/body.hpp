// SPDX-License-Identifier: Apache-2.0
// A graph whose nodes are ready to run, the parameters that they read, and the states that they write.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compute/exec/phase_plan.hpp"
#include "engines/torch/evaluator.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {

struct Body {
    std::shared_ptr<const graph::Graph> graph;
    Learner& learner;
    Placement placement;
    Evaluator evaluator;
    std::optional<std::vector<graph::Dim>> leading;  // of the program's columns; nothing if it reads none
    std::vector<Leaf> leaves;
    std::vector<StateWrite> states;  // empty if the program must not change states

    // For the plan's graph; all plans with this graph share it.
    Body(const ProgramSpec& spec, const PhasePlan& plan, DType real, Learner& among, Placement where);
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    // Prepares all nodes that effects and losses depend on.
    Status prepare(const ProgramSpec& spec, const PhasePlan& plan);

    // Writes states when all of their values are known, because one may be computed from another.
    void commit_states();
};

}  // namespace tenon::reference
