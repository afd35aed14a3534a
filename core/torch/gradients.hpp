// SPDX-License-Identifier: Apache-2.0
// The gradient of one stage: by libtorch's autograd, into the learner's slabs.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "torch/schedule.hpp"

namespace tenon::reference {

// The gradient of the stage's loss by each leaf of what it owns, in the order of StageRun::gradients; undefined where
// it is zero. `retain`: another stage still needs the same values.
std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageRun& run, const at::Tensor& total, bool retain);

// Writes them into the networks' gradient slabs, or adds them to what is there: the sum over a parameter's leaves,
// zeros where there is none.
void store(const Learner& learner, at::ScalarType real, const StageRun& run, const std::vector<at::Tensor>& gradients,
           bool add);

// A problem that names the first parameter for which one of them is not finite.
Status check_gradients(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                       const std::vector<at::Tensor>& gradients, const std::string& program);

// The same of the gradients that are stored, whose norm is not finite.
Problem gradient_problem(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                         const std::string& program);

}  // namespace tenon::reference
