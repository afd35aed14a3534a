// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/leaves.hpp"

namespace tenon::reference {

void refresh(Leaf& leaf, const Learner& learner, const There& there) {
    const void* const memory = there.memory(learner, leaf.read.network, leaf.read.slab);
    if (leaf.memory == memory) {
        return;
    }
    leaf.memory = memory;
    leaf.view = there.parameter(learner, {leaf.read.network, leaf.read.parameter}, leaf.read.slab);
    if (leaf.read.trainable) {
        leaf.differentiable = leaf.view.detach().requires_grad_(true);
    }
}

}  // namespace tenon::reference
