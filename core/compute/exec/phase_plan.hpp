// SPDX-License-Identifier: Apache-2.0
// A program for one set of conditions, as the driver runs it: the graph with its losses reduced, the values that are
// read after each phase, and the stages that step then. Executors compute the phases (phased.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

// When the nodes of an update are computed and when its stages step, for one set of due stages.
//
// Phase 0 contains everything that does not depend on a stage's step, and the gradients of the stages whose losses are
// in it; then these stages step in order. A parameter that is read after stage S belongs to the phase after that of S,
// a column of kOverShards to the phase after that of the output of its name, and so on.
struct Phases {
    std::vector<std::uint32_t> of_node;
    std::vector<std::uint32_t> of_stage;
    std::vector<std::uint32_t> sequence;  // due stages in the order of their steps
    std::uint32_t count = 1;
};

Phases find_phases(const graph::Graph& graph, std::span<const ParameterRead> reads, DueStages due);

// The conditions that change what a program computes.
struct Variant {
    DueStages due = 0;
    bool gradients = true;
    bool mask = false;  // the batch has a mask
    bool weight = false;
    bool operator==(const Variant&) const = default;
};

// A value, other than a loss, that is read after its phase.
struct Effect {
    enum class Kind : std::uint8_t { kPrint, kCheck, kMetric, kControl, kWrite };
    Kind kind = Kind::kMetric;
    std::size_t index = 0;  // in its list of the graph
    graph::ValueId value = 0;
    std::uint32_t phase = 0;
};

// A due stage: what it minimises, and the trainable parameters of its networks.
struct StageRun {
    std::uint32_t stage = 0;
    std::uint32_t phase = 0;
    std::vector<std::uint32_t> losses;  // of the graph
    std::vector<ParameterPlace> parameters;
};

struct PhasePlan {
    Variant variant;
    std::shared_ptr<const graph::Graph> graph;  // plans for the same mask and weight share it
    bool writes_state = false;
    std::vector<graph::ValueId> wanted;  // all effects, states that are written, and the due losses
    std::vector<ParameterRead> reads;
    Phases phases;
    std::vector<StageRun> sequence;  // in the order of their steps
    std::vector<Effect> effects;     // in the order of their phases
    std::vector<std::size_t> spans =
        {};  // of a profile: of every phase, then of every step; empty until it is measured

    [[nodiscard]] std::uint32_t phase_of(graph::ValueId value) const {
        return phases.of_node[graph->values[value].node];
    }
};

// `of`: a plan for the same mask and weight, whose graph is shared; null: the graph is made. The problem names what the
// learner lacks.
Result<PhasePlan> make_plan(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner,
                            const Variant& variant, std::shared_ptr<const graph::Graph> of = nullptr);

// The variant that computes most: every stage is due, and the batch has each column that the program could read.
Variant widest_variant(const ProgramSpec& spec, std::span<const StagePlan> stages);

// The problem is a stage without a plan or without a loss.
Status check_stages(const ProgramSpec& spec, std::span<const StagePlan> stages);

}  // namespace tenon
