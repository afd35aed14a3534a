// SPDX-License-Identifier: Apache-2.0
// Parameters and states as tensors over the learner's slabs, without a copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch/evaluator.hpp"

namespace tenon::reference {

struct Leaf {
    graph::NodeId node = 0;
    graph::ValueId value = 0;
    std::size_t network = 0;  // of the learner
    std::size_t parameter = 0;
    bool target = false;
    bool trainable = false;
    std::string version;  // empty: as of the start of the update; else after that stage
    const void* memory = nullptr;
    at::Tensor view;  // of the slab, without gradient
    at::Tensor differentiable;
};

// The leaves among the needed nodes, each checked against the learner's layout.
Result<std::vector<Leaf>> find_leaves(const Evaluator& evaluator, const std::vector<bool>& needed, Learner& learner);

// Makes views anew where a slab has moved since.
void refresh(Leaf& leaf, Learner& learner, at::ScalarType real);

// A parameter's place in one of its network's slabs.
at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, const Slab& slab, at::ScalarType real);

}  // namespace tenon::reference
