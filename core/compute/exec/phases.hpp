// SPDX-License-Identifier: Apache-2.0
// When the nodes of an update are computed and when its stages step, for one set of due stages.
//
// Phase 0 contains everything that does not depend on a stage's step, and the gradients of the stages whose losses are
// in it; then these stages step in order. A parameter that is read after stage S belongs to the phase after that of S,
// and so on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/exec/parameter_reads.hpp"
#include "compute/exec/program.hpp"
#include "compute/graph/limits.hpp"

namespace tenon {

using graph::kMostStages;
using DueStages = std::uint64_t;  // one bit per stage

DueStages due_stages(std::span<const StagePlan> stages, double updates);

inline bool is_due(DueStages due, std::size_t stage) {
    return (due >> stage & 1U) != 0;
}

// The indices of the stage's losses.
std::vector<std::uint32_t> losses_of(const graph::Graph& graph, std::size_t stage);

bool owns(const StagePlan& stage, std::size_t network);

struct Phases {
    std::vector<std::uint32_t> of_node;
    std::vector<std::uint32_t> of_stage;
    std::vector<std::uint32_t> sequence;  // due stages in the order of their steps
    std::uint32_t count = 1;
};

Phases find_phases(const graph::Graph& graph, std::span<const ParameterRead> reads, DueStages due);

}  // namespace tenon
