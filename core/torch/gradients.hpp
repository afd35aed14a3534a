// SPDX-License-Identifier: Apache-2.0
// The gradient of one stage, by libtorch's autograd, written to the learner's slabs.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "torch/schedule.hpp"

namespace tenon::reference {

// The gradients of the stage's loss with respect to each leaf of its networks, in the order of StageRun::gradients;
// undefined if zero. `retain`: another stage still needs the same values.
std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageRun& run, const at::Tensor& total, bool retain);

// Writes or adds them to the networks' gradient slabs: the sum over a parameter's leaves, or zeros if there are none.
void store(const Learner& learner, at::ScalarType real, const StageRun& run, const std::vector<at::Tensor>& gradients,
           bool add);

// A problem that names the first parameter whose gradient is not finite.
Status check_gradients(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                       const std::vector<at::Tensor>& gradients, const std::string& program);

// The same for stored gradients whose norm is not finite.
Problem gradient_problem(const Evaluator& evaluator, const Learner& learner, const StageRun& run,
                         const std::string& program);

}  // namespace tenon::reference
