// SPDX-License-Identifier: Apache-2.0
// Parameters and states as tensors over the learner's slabs, without a copy.
#pragma once

#include "exec/parameter_reads.hpp"
#include "torch/evaluator.hpp"

namespace tenon::reference {

struct Leaf {
    ParameterRead read;
    const void* memory = nullptr;
    at::Tensor view;  // of the slab, without gradient
    at::Tensor differentiable;
};

// Makes views anew where a slab has moved since.
void refresh(Leaf& leaf, Learner& learner, at::ScalarType real);

// A parameter's place in one of its network's slabs.
at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, const Slab& slab, at::ScalarType real);

}  // namespace tenon::reference
