// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/leaves.hpp"

namespace tenon::reference {

void refresh(Leaf& leaf, const Learner& learner, const Placement& placement) {
    const void* const memory = placement.memory(learner, leaf.read.network, leaf.read.slab);
    if (leaf.memory == memory) {
        return;
    }
    leaf.memory = memory;
    leaf.view = placement.parameter(learner, {leaf.read.network, leaf.read.parameter}, leaf.read.slab);
    if (leaf.read.trainable) {
        leaf.differentiable = leaf.view.detach().requires_grad_(true);
    }
}

}  // namespace tenon::reference
