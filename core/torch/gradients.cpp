// SPDX-License-Identifier: Apache-2.0
#include "torch/gradients.hpp"

#include <torch/csrc/autograd/autograd.h>

#include "graph/text.hpp"
#include "torch/diagnose.hpp"
#include "torch/guard.hpp"

namespace tenon::reference {
namespace {

std::string gradient_of(const Evaluator& evaluator, const StageRun& run) {
    return "the gradient of the stage '" + evaluator.graph().stages[run.stage].name + "'";
}

Problem problem_with(const Evaluator& evaluator, const Learner& learner, const StageRun& run, const Gradient& gradient,
                     const std::string& program) {
    const graph::Graph& graph = evaluator.graph();
    const NetworkLayout& layout = learner.networks[gradient.network].layout;
    return graph::problem_at(graph, graph.values[graph.losses[run.losses.front()].value].node,
                             gradient_of(evaluator, run) + " with respect to the parameter '" +
                                 layout.parameters[gradient.parameter].name + "' of '" + layout.role +
                                 "' is not finite in the program '" + program + "', though its losses are finite");
}

}  // namespace

std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageRun& run, const at::Tensor& total, bool retain) {
    std::vector<at::Tensor> leaves;
    for (const Gradient& gradient : run.gradients) {
        for (const graph::ValueId leaf : gradient.leaves) {
            leaves.push_back(evaluator.value(leaf));
        }
    }
    if (!total.requires_grad()) {
        return std::vector<at::Tensor>(leaves.size());  // depends on the values: for example the deviation of one row
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

Status check_gradients(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                       const std::vector<at::Tensor>& gradients, const std::string& program) {
    std::size_t at = 0;
    for (const Gradient& gradient : run.gradients) {
        for (std::size_t i = 0; i < gradient.leaves.size(); ++i, ++at) {
            if (gradients[at].defined() && !is_finite(gradients[at])) {
                return problem_with(evaluator, learner, run, gradient, program);
            }
        }
    }
    return {};
}

Problem gradient_problem(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                         const std::string& program) {
    for (const Gradient& gradient : run.gradients) {
        const Network& network = learner.networks[gradient.network];
        const Parameter& parameter = network.layout.parameters[gradient.parameter];
        if (!is_finite(view_of(network.layout, parameter, network.gradient, evaluator.real()))) {
            return problem_with(evaluator, learner, run, gradient, program);
        }
    }
    return plugin_problem(gradient_of(evaluator, run) + " overflows in the program '" + program + "'");
}

}  // namespace tenon::reference
