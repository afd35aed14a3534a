// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/blame.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "compute/exec/not_finite.hpp"
#include "compute/graph/dependence.hpp"
#include "engines/compiled/readout.hpp"
#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {
namespace {

using graph::NodeId;
using graph::ValueId;

// A plan that shows every value that the plan needs up to the phase, except values inside of scans. It computes no
// gradient.
PhasePlan plan_of_values(const PhasePlan& plan, std::uint32_t phase) {
    PhasePlan out;
    out.graph = plan.graph;
    out.variant = {.due = 0, .gradients = false, .mask = plan.variant.mask, .weight = plan.variant.weight};
    const graph::Graph& graph = *plan.graph;
    const std::vector<bool> needed = graph::ancestors(graph, plan.wanted);
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (!needed[id] || plan.phases.of_node[id] > phase || graph::scan_of(graph, node.region) != 0) {
            continue;
        }
        for (ValueId value = node.first_output; value < node.first_output + node.output_count; ++value) {
            out.effects.push_back({.kind = Effect::Kind::kMetric, .index = 0, .value = value, .phase = 0});
            out.wanted.push_back(value);
        }
    }
    return out;
}

// The ranges of the node's real inputs that are shown.
std::vector<ValueRange> input_ranges(const Specialised& made, const graph::Node& node) {
    std::vector<ValueRange> out;
    for (const ValueId input : node.inputs) {
        const auto found = std::ranges::find(made.plan->effects, input, &Effect::value);
        const auto place = static_cast<std::size_t>(found - made.plan->effects.begin());
        if (found != made.plan->effects.end() && made.effects[place].kind == Kind::kReal) {
            out.push_back(range_of(made.tape, made.effects[place]));
        }
    }
    return out;
}

}  // namespace

std::optional<Problem> blamed(Program& reference, Call call) {
    call.part.mode = call.part.has_gradients() ? StepMode::kDryGradients : StepMode::kDryTerms;
    call.outputs = {};
    call.leeway = Leeway::kLeaveOut;  // so that it checks gradients as well
    Result<Computed*> done = reference.run(call);
    if (!done) {
        return done.error().fault != Fault::kEnvironment ? std::optional(std::move(done.error())) : std::nullopt;
    }
    const Problem* const why = (*done)->left_out();
    return why != nullptr ? std::optional(*why) : std::nullopt;
}

Problem first_not_finite(const std::string& what, const ProgramSpec& spec, const PhasePlan& plan, std::uint32_t phase,
                         const Learner& learner, const Call& call) {
    const PhasePlan values = plan_of_values(plan, phase);
    const Result<std::unique_ptr<Specialised>> made =
        specialise({.spec = spec, .stages = {}, .learner = learner, .plan = values, .sizes = call.sizes});
    if (!made) {
        return plugin_problem(what);
    }
    Specialised& all = **made;
    const Call forward = for_columns(call, {});
    all.tape.begin(forward, learner);
    for (std::uint32_t each = 0; each <= phase; ++each) {
        all.tape.run_phase(each, forward);
    }
    const auto bad = std::ranges::find_if(all.effects, [&](const Seen& seen) { return !is_finite(all.tape, seen); });
    if (bad == all.effects.end()) {
        return plugin_problem(what);
    }
    const ValueId value = values.effects[static_cast<std::size_t>(bad - all.effects.begin())].value;
    const graph::Graph& graph = *values.graph;
    return not_finite_at(graph, graph.values[value].node, what, input_ranges(all, graph.node_of(value)), learner.real);
}

}  // namespace tenon::compiled
