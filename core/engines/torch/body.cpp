// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/body.hpp"

#include <utility>

#include "compute/exec/rows.hpp"
#include "compute/graph/dependence.hpp"
#include "engines/torch/effects.hpp"

namespace tenon::reference {

using graph::ValueId;

Body::Body(const ProgramSpec& spec, const PhasePlan& plan, DType real, Learner& among, Placement where)
    : graph(plan.graph),
      learner(among),
      placement(std::move(where)),
      evaluator(*graph, real, spec.seed, spec.inputs, among, placement.place),
      leading(leading_of(*graph)) {}

Status Body::prepare(const ProgramSpec& spec, const PhasePlan& plan) {
    std::vector<ValueId> wanted = plan.wanted;
    for (const graph::Loss& loss : graph->losses) {
        wanted.push_back(loss.value);
    }
    TENON_TRY(evaluator.add_all(graph::ancestors(*graph, wanted)));
    for (const ParameterRead& read : plan.reads) {
        leaves.push_back({.read = read, .view = {}, .differentiable = {}});
    }
    for (std::size_t i = 0; i < graph->writes.size() && i < spec.outputs.size(); ++i) {
        TENON_TRY(fits_output(*graph, graph->writes[i], spec.outputs[i]));
    }
    if (plan.writes_state) {
        states = TENON_TRY(state_writes(*graph, learner));
    }
    return {};
}

void Body::commit_states() {
    if (placement.slabs != nullptr && !states.empty()) {
        placement.slabs->changed(kLiveSlabs);
    }
    std::vector<at::Tensor> values;
    for (const StateWrite& write : states) {
        values.push_back(evaluator.value(write.value).detach().clone());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        placement.parameter(learner, {states[i].network, states[i].parameter}, ParameterSlab::kLive).copy_(values[i]);
    }
}

}  // namespace tenon::reference
