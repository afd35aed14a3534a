// SPDX-License-Identifier: Apache-2.0
// The common part of programs with and without gradients: a graph whose nodes are ready to run, the parameters that
// they read, and the results of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/reference_module.hpp"
#include "torch/evaluator.hpp"
#include "torch/leaves.hpp"

namespace tenon::reference {

struct Body {
    std::string name;
    const graph::Graph graph;  // a copy: the caller's may be destroyed
    std::vector<PortSpec> outputs;
    Learner& learner;
    PrintLine print;
    Evaluator evaluator;
    std::optional<std::vector<graph::Dim>> leading;  // of the program's columns; nothing if it reads none
    std::vector<graph::ValueId> effects;             // values that are read other than losses
    std::vector<bool> needed;                        // by node
    std::vector<Leaf> leaves;
    std::vector<StateWrite> states;  // empty if the program must not change states

    Body(const ProgramSpec& spec, DType real, Learner& among, PrintLine line, bool writes_state);
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    // Prepares all nodes that the effects and the losses depend on.
    Status prepare();

    // Prints, checks, metrics, controls and outputs, of all values or of those of one phase.
    Status run_effects(const Call& call);
    Status run_effects(const Call& call, const std::vector<std::uint32_t>& phase_of_node, std::uint32_t phase);

    // Writes states when all of their values are known, because one may be computed from another.
    void commit_state();

private:
    template <class Belongs>
    Status effects_where(const Call& call, Belongs belongs);

    bool writes_state_;
};

}  // namespace tenon::reference
