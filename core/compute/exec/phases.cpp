// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/phases.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"

namespace tenon {
namespace {

using graph::NodeId;
using graph::ValueId;

std::vector<std::uint32_t> phases_of_nodes(const graph::Graph& graph, std::span<const ParameterRead> reads,
                                           DueStages due, const std::vector<std::uint32_t>& of_stage) {
    std::vector<std::uint32_t> out(graph.nodes.size(), 0);
    for (const ParameterRead& read : reads) {
        if (read.after >= 0 && is_due(due, static_cast<std::size_t>(read.after))) {
            out[read.node] = of_stage[static_cast<std::size_t>(read.after)] + 1;
        }
    }
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        graph::for_each_read(graph, id,
                             [&](ValueId value) { out[id] = std::max(out[id], out[graph.values[value].node]); });
    }
    return out;
}

}  // namespace

DueStages due_stages(std::span<const StagePlan> stages, double updates) {
    const auto count = static_cast<std::int64_t>(updates);
    DueStages due = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        due |= static_cast<DueStages>(count % std::max<std::int64_t>(stages[i].every, 1) == 0) << i;
    }
    return due;
}

std::vector<std::uint32_t> losses_of(const graph::Graph& graph, std::size_t stage) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < graph.losses.size(); ++i) {
        if (graph.losses[i].stage == stage) {
            out.push_back(i);
        }
    }
    return out;
}

bool owns(const StagePlan& stage, std::size_t network) {
    return std::ranges::find(stage.owned, static_cast<std::uint32_t>(network)) != stage.owned.end();
}

Phases find_phases(const graph::Graph& graph, std::span<const ParameterRead> reads, DueStages due) {
    Phases out;
    out.of_stage.assign(graph.stages.size(), 0);
    // A parameter may be read after the step of an earlier stage, and the phase of this stage must be known first. So
    // the nodes are gone through once for each stage.
    for (std::size_t round = 0; round <= graph.stages.size(); ++round) {
        out.of_node = phases_of_nodes(graph, reads, due, out.of_stage);
        std::ranges::fill(out.of_stage, 0);
        for (const graph::Loss& loss : graph.losses) {
            out.of_stage[loss.stage] = std::max(out.of_stage[loss.stage], out.of_node[graph.values[loss.value].node]);
        }
    }
    std::uint32_t last = 0;
    for (const ValueId value : graph::effects_of(graph, true)) {
        last = std::max(last, out.of_node[graph.values[value].node]);
    }
    for (std::uint32_t stage = 0; stage < graph.stages.size(); ++stage) {
        if (is_due(due, stage)) {
            last = std::max(last, out.of_stage[stage]);
            out.sequence.push_back(stage);
        }
    }
    std::ranges::stable_sort(out.sequence, {}, [&](std::uint32_t stage) { return out.of_stage[stage]; });
    out.count = last + 1;
    return out;
}

}  // namespace tenon
