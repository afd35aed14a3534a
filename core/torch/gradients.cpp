// SPDX-License-Identifier: Apache-2.0
#include "torch/gradients.hpp"

#include <torch/csrc/autograd/autograd.h>

#include "torch/diagnose.hpp"
#include "torch/guard.hpp"

namespace tenon::reference {

std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageRun& run, const at::Tensor& total, bool retain) {
    std::vector<at::Tensor> leaves;
    for (const Gradient& gradient : run.gradients) {
        for (const graph::ValueId leaf : gradient.leaves) {
            leaves.push_back(evaluator.value(leaf));
        }
    }
    if (!total.requires_grad()) {
        return std::vector<at::Tensor>(leaves.size());  // by its values this time: the deviation of one row, say
    }
    return torch::autograd::grad({total}, leaves, {}, retain, false, true);
}

void store(const Learner& learner, at::ScalarType real, const StageRun& run, const std::vector<at::Tensor>& gradients,
           bool add) {
    std::size_t at = 0;
    for (const Gradient& gradient : run.gradients) {
        const Network& network = learner.networks[gradient.network];
        at::Tensor place =
            view_of(network.layout, network.layout.parameters[gradient.parameter], network.gradient, real);
        bool written = add;
        for (std::size_t i = 0; i < gradient.leaves.size(); ++i, ++at) {
            if (gradients[at].defined()) {
                written ? place.add_(gradients[at]) : place.copy_(gradients[at]);
                written = true;
            }
        }
        if (!written) {
            place.zero_();
        }
    }
}

Problem gradient_problem(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                         const std::string& program) {
    const graph::Graph& graph = evaluator.graph();
    const std::string stage = "the gradient of the stage '" + graph.stages[run.stage].name + "'";
    for (const Gradient& gradient : run.gradients) {
        const Network& network = learner.networks[gradient.network];
        const Parameter& parameter = network.layout.parameters[gradient.parameter];
        if (!is_finite(view_of(network.layout, parameter, network.gradient, evaluator.real()))) {
            const graph::NodeId node = graph.values[graph.losses[run.losses.front()].value].node;
            return at_node(graph, node,
                           stage + " by the parameter '" + parameter.name + "' of '" + network.layout.role +
                               "' is not finite in the program '" + program + "', though its losses are");
        }
    }
    return plugin_problem(stage + " is too large for a number in the program '" + program + "'");
}

}  // namespace tenon::reference
