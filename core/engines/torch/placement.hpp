// SPDX-License-Identifier: Apache-2.0
// The place of a program's tensors: the memory of the host, or of the device that has the learner's slabs. Memory of
// the emulated device is the host's, so libtorch's kernels for the CPU can use it.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "base/device/device.hpp"
#include "compute/exec/device_slabs.hpp"
#include "compute/exec/parameter_reads.hpp"

namespace tenon::reference {

struct Placement {
    std::shared_ptr<Device> device = nullptr;  // null: the host
    std::shared_ptr<DeviceSlabs> slabs = nullptr;
    at::Device place = at::kCPU;

    // A parameter of a network of the learner, and its gradient, as tensors.
    [[nodiscard]] at::Tensor parameter(const Learner& learner, const ParameterPlace& which, ParameterSlab slab) const;
    [[nodiscard]] at::Tensor gradient(const Learner& learner, const ParameterPlace& which) const;
    // The address of the slab's first element.
    [[nodiscard]] std::byte* memory(const Learner& learner, std::size_t network, ParameterSlab slab) const;
};

// A tensor with those values in that place. The copy may still run when this returns, but the host's memory has been
// read.
at::Tensor moved(const at::Tensor& values, at::Device place);

// A view of a parameter in the memory of one of its network's slabs.
at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, std::byte* slab, at::TensorOptions options);

// A parameter or state as a tensor over the learner's slab, without a copy.
struct Leaf {
    ParameterRead read;
    const void* memory = nullptr;
    at::Tensor view;  // of the slab, without gradient
    at::Tensor differentiable;
};

// Recreates the view if the slab has moved.
void refresh(Leaf& leaf, const Learner& learner, const Placement& placement);

}  // namespace tenon::reference
