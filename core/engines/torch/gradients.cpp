// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/gradients.hpp"

#include <torch/csrc/autograd/autograd.h>

#include "engines/torch/diagnose.hpp"

namespace tenon::reference {

std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageLeaves& leaves, const at::Tensor& total,
                                      bool retain) {
    std::vector<at::Tensor> all;
    for (const std::vector<graph::ValueId>& parameter : leaves.of) {
        for (const graph::ValueId leaf : parameter) {
            all.push_back(evaluator.value(leaf));
        }
    }
    if (!total.requires_grad()) {
        return std::vector<at::Tensor>(all.size());  // depends on the values: for example the deviation of one row
    }
    return torch::autograd::grad({total}, all, {}, retain, false, true);
}

void store(const Learner& learner, const Placement& placement, const StageRun& run, const StageLeaves& leaves,
           const std::vector<at::Tensor>& gradients, bool add) {
    std::size_t at = 0;
    for (std::size_t number = 0; number < run.parameters.size(); ++number) {
        at::Tensor place = placement.gradient(learner, run.parameters[number]);
        bool written = add;
        for (std::size_t i = 0; i < leaves.of[number].size(); ++i, ++at) {
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

std::optional<std::size_t> bad_gradient(const StageLeaves& leaves, const std::vector<at::Tensor>& gradients) {
    std::size_t at = 0;
    for (std::size_t number = 0; number < leaves.of.size(); ++number) {
        for (std::size_t i = 0; i < leaves.of[number].size(); ++i, ++at) {
            if (gradients[at].defined() && !is_finite(gradients[at])) {
                return number;
            }
        }
    }
    return std::nullopt;
}

}  // namespace tenon::reference
