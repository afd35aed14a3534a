// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/placement.hpp"

#include "engines/torch/step.hpp"

namespace tenon::reference {

at::Tensor moved(const at::Tensor& values, at::Device place) {
    return values.device() == place ? values : values.to(place, values.scalar_type(), /*non_blocking=*/true);
}

at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, std::byte* slab,
                   at::TensorOptions options) {
    std::vector<std::int64_t> shape = parameter.shape;
    if (layout.each > 1) {
        shape.insert(shape.begin(), layout.each);
    }
    if (layout.ensemble) {
        shape.insert(shape.begin(), layout.members / layout.each);
    }
    std::byte* const bytes = slab + parameter.offset * at::elementSize(at::typeMetaToScalarType(options.dtype()));
    return at::for_blob(bytes, shape).options(options).target_device(options.device()).make_tensor();
}

std::byte* Placement::memory(const Learner& learner, std::size_t network, ParameterSlab slab) const {
    return slabs != nullptr ? slabs->memory(network, slab) : slab_of(learner.networks[network], slab).as<std::byte>();
}

at::Tensor Placement::parameter(const Learner& learner, const ParameterPlace& which, ParameterSlab slab) const {
    const NetworkLayout& layout = learner.networks[which.network].layout;
    return view_of(layout, layout.parameters[which.parameter], memory(learner, which.network, slab),
                   at::TensorOptions(scalar_type(learner.real)).device(place));
}

at::Tensor Placement::gradient(const Learner& learner, const ParameterPlace& which) const {
    const Network& network = learner.networks[which.network];
    std::byte* const slab = slabs != nullptr ? slabs->gradient(which.network) : network.gradient.as<std::byte>();
    return view_of(network.layout, network.layout.parameters[which.parameter], slab,
                   at::TensorOptions(scalar_type(learner.real)).device(place));
}

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
