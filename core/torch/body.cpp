// SPDX-License-Identifier: Apache-2.0
#include "torch/body.hpp"

#include <utility>

#include "exec/rows.hpp"
#include "graph/dependence.hpp"
#include "torch/effects.hpp"
#include "torch/guard.hpp"

namespace tenon::reference {

using graph::ValueId;

Body::Body(const ProgramSpec& spec, DType real, Learner& among, PrintLine line, bool writes_state)
    : name(spec.name),
      graph(*spec.graph),
      outputs(spec.outputs),
      learner(among),
      print(line),
      evaluator(graph, real, spec.seed, spec.inputs, among),
      leading(leading_of(graph)),
      effects(graph::effects_of(graph, writes_state)),
      writes_state_(writes_state) {}

Status Body::prepare() {
    std::vector<ValueId> wanted = effects;
    for (const graph::Loss& loss : graph.losses) {
        wanted.push_back(loss.value);
    }
    needed = graph::ancestors(graph, wanted);
    if (Status added = evaluator.add_all(needed); !added) {
        return added;
    }
    Result<std::vector<ParameterRead>> reads = parameter_reads(graph, needed, learner);
    if (!reads) {
        return reads.error();
    }
    for (const ParameterRead& read : *reads) {
        leaves.push_back({.read = read, .view = {}, .differentiable = {}});
    }
    for (std::size_t i = 0; i < graph.writes.size() && i < outputs.size(); ++i) {
        if (Status fits = fits_output(graph, graph.writes[i], outputs[i]); !fits) {
            return fits;
        }
    }
    if (writes_state_) {
        Result<std::vector<StateWrite>> writes = state_writes(graph, learner);
        if (!writes) {
            return writes.error();
        }
        states = std::move(*writes);
    }
    return {};
}

Status Body::run_effects(const Call& call) {
    return effects_where(call, [](const graph::Named&) { return true; });
}

Status Body::run_effects(const Call& call, const std::vector<std::uint32_t>& phase_of_node, std::uint32_t phase) {
    return effects_where(
        call, [&](const graph::Named& named) { return phase_of_node[graph.values[named.value].node] == phase; });
}

template <class Belongs>
Status Body::effects_where(const Call& call, Belongs belongs) {
    for (const graph::Named& each : graph.prints) {
        if (print != nullptr && !call.part.dry && belongs(each)) {
            print(print_line(evaluator, each));
        }
    }
    for (const graph::Named& each : graph.checks) {
        if (belongs(each)) {
            if (Status passed = check(evaluator, each, name); !passed) {
                return passed;
            }
        }
    }
    for (std::size_t i = 0; i < call.metrics.size(); ++i) {
        if (belongs(graph.metrics[i])) {
            call.metrics[i] = mean_of(evaluator.value(graph.metrics[i].value));
        }
    }
    for (std::size_t i = 0; i < call.controls.size(); ++i) {
        if (belongs(graph.controls[i])) {
            call.controls[i] = mean_of(evaluator.value(graph.controls[i].value));
        }
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        if (call.outputs[i] != nullptr && belongs(graph.writes[i])) {
            write_output(evaluator, graph.writes[i].value, outputs[i], call.outputs[i], call.sizes, leading);
        }
    }
    return {};
}

void Body::commit_state() {
    std::vector<at::Tensor> values;
    for (const StateWrite& write : states) {
        values.push_back(evaluator.value(write.value).detach().clone());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Network& network = learner.networks[states[i].network];
        view_of(network.layout, network.layout.parameters[states[i].parameter], network.live, evaluator.real())
            .copy_(values[i]);
    }
}

}  // namespace tenon::reference
