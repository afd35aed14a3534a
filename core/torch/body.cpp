// SPDX-License-Identifier: Apache-2.0
#include "torch/body.hpp"

#include "graph/dependence.hpp"
#include "torch/effects.hpp"
#include "torch/guard.hpp"

namespace tenon::reference {
namespace {

using graph::ValueId;

std::vector<ValueId> effect_values(const graph::Graph& graph, bool writes_state) {
    std::vector<ValueId> out;
    for (const auto* list : {&graph.writes, &graph.metrics, &graph.controls, &graph.checks, &graph.prints}) {
        for (const graph::Named& named : *list) {
            out.push_back(named.value);
        }
    }
    for (std::size_t i = 0; writes_state && i < graph.state_writes.size(); ++i) {
        out.push_back(graph.state_writes[i].value);
    }
    return out;
}

}  // namespace

Body::Body(const ProgramSpec& spec, DType real, Learner& among, PrintLine line, bool writes_state)
    : name(spec.name),
      graph(*spec.graph),
      outputs(spec.outputs),
      learner(among),
      print(line),
      evaluator(graph, real, spec.seed, spec.inputs, among),
      leading(leading_of(graph)),
      effects(effect_values(graph, writes_state)),
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
    Result<std::vector<Leaf>> found = find_leaves(evaluator, needed, learner);
    if (!found) {
        return found.error();
    }
    leaves = std::move(*found);
    for (std::size_t i = 0; i < graph.writes.size() && i < outputs.size(); ++i) {
        if (Status fits = fits_output(graph, graph.writes[i], outputs[i]); !fits) {
            return fits;
        }
    }
    return writes_state_ ? find_state_writes() : Status();
}

Status Body::find_state_writes() {
    for (const graph::Named& write : graph.state_writes) {
        const std::size_t slash = write.name.find('/');
        const std::string role = write.name.substr(0, slash);
        Network* network = learner.find(role);
        const Parameter* parameter = network == nullptr ? nullptr : network->layout.find(write.name.substr(slash + 1));
        if (parameter == nullptr) {
            return at_node(graph, graph.values[write.value].node,
                           "there is no state '" + write.name + "' to be written");
        }
        state_writes.push_back({static_cast<std::size_t>(network - learner.networks.data()),
                                static_cast<std::size_t>(parameter - network->layout.parameters.data()), write.value});
    }
    return {};
}

Status Body::run_effects(const Call& call) {
    return effects_where(call, [](const graph::Named&) { return true; });
}

Status Body::run_effects(const Call& call, const std::vector<std::uint32_t>& phase_of_value, std::uint32_t phase) {
    return effects_where(call, [&](const graph::Named& named) { return phase_of_value[named.value] == phase; });
}

template <class Belongs>
Status Body::effects_where(const Call& call, Belongs belongs) {
    for (const graph::Named& each : graph.prints) {
        if (print != nullptr && belongs(each)) {
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
    for (const StateWrite& write : state_writes) {
        values.push_back(evaluator.value(write.value).detach().clone());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Network& network = learner.networks[state_writes[i].network];
        view_of(network.layout, network.layout.parameters[state_writes[i].parameter], network.live, evaluator.real())
            .copy_(values[i]);
    }
}

}  // namespace tenon::reference
