// SPDX-License-Identifier: Apache-2.0
#include "compute/torch/leaves.hpp"

namespace tenon::reference {

at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, const Slab& slab, at::ScalarType real) {
    std::vector<std::int64_t> shape = parameter.shape;
    if (layout.ensemble) {
        shape.insert(shape.begin(), layout.members);
    }
    auto* bytes = slab.as<std::byte>() + parameter.offset * at::elementSize(real);
    return at::from_blob(bytes, shape, at::TensorOptions(real));
}

void refresh(Leaf& leaf, Learner& learner, at::ScalarType real) {
    const Network& network = learner.networks[leaf.read.network];
    const Slab& slab = slab_of(network, leaf.read.slab);
    if (leaf.memory == slab.data()) {
        return;
    }
    leaf.memory = slab.data();
    leaf.view = view_of(network.layout, network.layout.parameters[leaf.read.parameter], slab, real);
    if (leaf.read.trainable) {
        leaf.differentiable = leaf.view.detach().requires_grad_(true);
    }
}

}  // namespace tenon::reference
