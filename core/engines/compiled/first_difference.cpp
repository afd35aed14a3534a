// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/first_difference.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "compute/exec/outcome.hpp"
#include "compute/exec/rows.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/drop_effects.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/update_graph.hpp"

namespace tenon::compiled {
namespace {

using graph::NodeId;

// A program that writes every value to a column named by the number of its node.
struct Everything {
    graph::Graph graph;
    ProgramSpec spec;
    std::vector<NodeId> nodes;
    std::vector<std::vector<std::byte>> ours;
    std::vector<std::vector<std::byte>> theirs;
};

bool is_shown(const graph::Graph& graph, NodeId id) {
    const graph::Node& node = graph.nodes[id];
    return node.output_count == 1 && !node.inputs.empty() && graph::scan_of(graph, node.region) == 0;
}

Everything everything_of(const ProgramSpec& spec, const UpdateGraph& update, const Learner& learner, const Call& call) {
    Everything out{
        .graph = update.graph,
        .spec = {.name = spec.name, .graph = nullptr, .inputs = spec.inputs, .outputs = {}, .seed = spec.seed},
        .nodes = {},
        .ours = {},
        .theirs = {}};
    graph::drop_effects(out.graph);
    for (NodeId id = 1; id < out.graph.nodes.size(); ++id) {
        if (!update.needed[id] || !is_shown(out.graph, id)) {
            continue;
        }
        const graph::ValueId value = out.graph.nodes[id].first_output;
        const graph::Type& type = out.graph.type(value);
        const Port port{
            .key = std::to_string(id), .dtype = stored_as(type.kind, learner.real), .row = Shape(type.sizes())};
        out.nodes.push_back(id);
        out.graph.writes.push_back({port.key, value});
        out.ours.emplace_back(written_count(type, out.graph, learner, call.sizes) * size_of(port.dtype));
        out.spec.outputs.push_back(port);
    }
    out.theirs = out.ours;
    return out;
}

Status run(Executor& executor, Everything& everything, std::vector<std::vector<std::byte>>& columns, Learner& learner,
           const Call& call) {
    everything.spec.graph = &everything.graph;
    std::unique_ptr<Program> program = TENON_TRY(executor.forward(everything.spec, learner));
    std::vector<void*> outputs;
    for (std::vector<std::byte>& column : columns) {
        outputs.push_back(column.data());
    }
    TENON_TRY(program->run(for_columns(call, outputs)));
    return {};
}

}  // namespace

std::optional<Problem> first_difference(Executor& ours, Executor& theirs, const ProgramSpec& spec,
                                        std::span<const StagePlan> stages, Learner& learner, const Call& call) {
    const Result<PhasePlan> plan =
        make_plan(spec, stages, learner,
                  {.due = due_stages(stages, call.numbers.updates), .gradients = call.part.has_gradients()});
    if (!plan) {
        return std::nullopt;
    }
    const Result<UpdateGraph> update = make_update_graph(*plan, stages, learner);
    if (!update) {
        return std::nullopt;
    }
    Everything all = everything_of(spec, *update, learner, call);
    if (!run(ours, all, all.ours, learner, call) || !run(theirs, all, all.theirs, learner, call)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < all.nodes.size(); ++i) {
        const Distance apart = distance(all.ours[i], all.theirs[i], all.spec.outputs[i].dtype);
        if (apart.most > tolerance(learner.real) * (1 + apart.scale)) {
            const NodeId id = all.nodes[i];
            const graph::Type& type = all.graph.type(all.graph.nodes[id].first_output);
            return graph::problem_at(all.graph, id,
                                     "the op '" + std::string(all.graph.nodes[id].op->name) + "', " +
                                         all.graph.symbols.text(type) + ", differs by " + std::to_string(apart.most));
        }
    }
    return std::nullopt;
}

}  // namespace tenon::compiled
