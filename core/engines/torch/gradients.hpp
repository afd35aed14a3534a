// SPDX-License-Identifier: Apache-2.0
// The gradient of one stage, by libtorch's autograd, written to the learner's slabs.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "engines/torch/schedule.hpp"

namespace tenon::reference {

// The gradients of the total with respect to each leaf, in the order of the parameters; undefined if zero. `retain`:
// another stage still needs the same values.
std::vector<at::Tensor> differentiate(Evaluator& evaluator, const StageLeaves& leaves, const at::Tensor& total,
                                      bool retain);

// Writes gradients to the networks' gradient slabs, or adds them: the sum over a parameter's leaves, or zeros if there
// are none.
void store(const Learner& learner, const Placement& placement, const StageRun& run, const StageLeaves& leaves,
           const std::vector<at::Tensor>& gradients, bool add);

// The first parameter whose gradient is not finite.
std::optional<std::size_t> bad_gradient(const StageLeaves& leaves, const std::vector<at::Tensor>& gradients);

}  // namespace tenon::reference
