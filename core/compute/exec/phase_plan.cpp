// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/phase_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "compute/exec/composites.hpp"
#include "compute/exec/loss_totals.hpp"
#include "compute/exec/over_shards.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon {
namespace {

using graph::NodeId;
using graph::ValueId;

std::vector<ParameterPlace> trainable_parameters(const StagePlan& stage, const Learner& learner) {
    std::vector<ParameterPlace> out;
    for (const std::uint32_t network : stage.owned) {
        const auto& parameters = learner.networks[network].layout.parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].trainable) {
                out.push_back({.network = network, .parameter = i});
            }
        }
    }
    return out;
}

void add_effects(PhasePlan& plan, std::size_t outputs) {
    using enum Effect::Kind;
    const graph::Graph& graph = *plan.graph;
    for (const auto& [kind, list] :
         {std::pair{kPrint, &graph.prints}, std::pair{kCheck, &graph.checks}, std::pair{kMetric, &graph.metrics},
          std::pair{kControl, &graph.controls}, std::pair{kWrite, &graph.writes}}) {
        const std::size_t count = kind == kWrite ? std::min(list->size(), outputs) : list->size();
        for (std::size_t i = 0; i < count; ++i) {
            const ValueId value = (*list)[i].value;
            plan.effects.push_back({.kind = kind, .index = i, .value = value, .phase = plan.phase_of(value)});
        }
    }
    std::ranges::stable_sort(plan.effects, {}, &Effect::phase);
}

// The program's graph with its losses reduced; without stages, with composites as single nodes instead.
Result<std::shared_ptr<const graph::Graph>> graph_of(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                                     bool mask, bool weight) {
    if (stages.empty()) {
        return std::make_shared<const graph::Graph>(with_composites(*spec.graph));
    }
    auto out = std::make_shared<graph::Graph>(*spec.graph);
    TENON_TRY(reduce_losses(*out, mask, weight));
    return std::shared_ptr<const graph::Graph>(std::move(out));
}

std::vector<std::uint32_t> phases_of_nodes(const graph::Graph& graph, std::span<const ParameterRead> reads,
                                           DueStages due, const std::vector<std::uint32_t>& of_stage) {
    std::vector<std::uint32_t> out(graph.nodes.size(), 0);
    for (const ParameterRead& read : reads) {
        if (read.after >= 0 && is_due(due, static_cast<std::size_t>(read.after))) {
            out[read.node] = of_stage[static_cast<std::size_t>(read.after)] + 1;
        }
    }
    const auto phase_of = [&](ValueId value) { return out[graph.values[value].node]; };
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (node.is(graph::OpId::kColumn_1) && is_over_shards(graph::string_attribute(node, "key"))) {
            const auto write =
                std::ranges::find(graph.writes, graph::string_attribute(node, "key"), &graph::Named::name);
            out[id] = write == graph.writes.end() ? 0 : phase_of(write->value) + 1;
        }
        graph::for_each_read(graph, id, [&](ValueId value) { out[id] = std::max(out[id], phase_of(value)); });
    }
    return out;
}

}  // namespace

Result<PhasePlan> make_plan(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner,
                            const Variant& variant, std::shared_ptr<const graph::Graph> of) {
    if (of == nullptr) {
        of = TENON_TRY(graph_of(spec, stages, variant.mask, variant.weight));
    }
    PhasePlan out{.variant = variant,
                  .graph = std::move(of),
                  .writes_state = !stages.empty() || spec.writes_state,
                  .wanted = {},
                  .reads = {},
                  .phases = {},
                  .sequence = {},
                  .effects = {}};
    const graph::Graph& graph = *out.graph;
    out.wanted = graph::effects_of(graph, out.writes_state);
    std::vector<ValueId> all = out.wanted;
    for (const graph::Loss& loss : graph.losses) {
        all.push_back(loss.value);
        if (is_due(variant.due, loss.stage)) {
            out.wanted.push_back(loss.value);
        }
    }
    std::vector<ParameterRead> reads = TENON_TRY(parameter_reads(graph, graph::ancestors(graph, all), learner));
    out.reads = std::move(reads);
    out.phases = find_phases(graph, out.reads, variant.due);
    for (const std::uint32_t stage : out.phases.sequence) {
        out.sequence.push_back({.stage = stage,
                                .phase = out.phases.of_stage[stage],
                                .losses = losses_of(graph, stage),
                                .parameters = trainable_parameters(stages[stage], learner)});
    }
    add_effects(out, spec.outputs.size());
    return out;
}

Variant widest_variant(const ProgramSpec& spec, std::span<const StagePlan> stages) {
    const RowPorts ports = stages.empty() ? RowPorts{} : row_ports(spec.inputs);
    return {.due = due_stages(stages, 0), .gradients = true, .mask = ports.mask >= 0, .weight = ports.weight >= 0};
}

Status check_stages(const ProgramSpec& spec, std::span<const StagePlan> stages) {
    const graph::Graph& graph = *spec.graph;
    if (stages.size() != graph.stages.size() || stages.size() > kMostStages) {
        return plugin_problem("the program '" + spec.name + "' has " + std::to_string(graph.stages.size()) +
                              " stages, but there are plans for " + std::to_string(stages.size()) +
                              "; the maximum is 64");
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (losses_of(graph, i).empty()) {
            return plugin_problem("the stage '" + graph.stages[i].name + "' has no loss",
                                  graph::place_of(graph, graph.stages[i].source));
        }
    }
    return {};
}

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
    // no stage steps before the control is known that skips updates
    const auto skip = std::ranges::find(graph.controls, kSkipUpdate, &graph::Named::name);
    const std::uint32_t first =
        skip == graph.controls.end() ? 0 : phases_of_nodes(graph, {}, 0, {})[graph.values[skip->value].node];
    // A parameter may be read after the step of an earlier stage, and the phase of this stage must be known first. So
    // the nodes are gone through once for each stage.
    for (std::size_t round = 0; round <= graph.stages.size(); ++round) {
        out.of_node = phases_of_nodes(graph, reads, due, out.of_stage);
        std::ranges::fill(out.of_stage, first);
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
