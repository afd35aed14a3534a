// SPDX-License-Identifier: Apache-2.0
// Parameters and states as tensors over the learner's slabs, without copies.
#pragma once

#include "compute/exec/parameter_reads.hpp"
#include "engines/torch/evaluator.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {

struct Leaf {
    ParameterRead read;
    const void* memory = nullptr;
    at::Tensor view;  // of the slab, without gradient
    at::Tensor differentiable;
};

// Recreates the view if the slab has moved.
void refresh(Leaf& leaf, const Learner& learner, const Placement& placement);

}  // namespace tenon::reference
