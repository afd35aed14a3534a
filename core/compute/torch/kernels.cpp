// SPDX-License-Identifier: Apache-2.0
// The kernel of every op, from the table of ops.
#include "compute/torch/along.hpp"
#include "compute/torch/images.hpp"
#include "compute/torch/kernel.hpp"
#include "compute/torch/structure.hpp"
#include "compute/torch/vector_tanh.hpp"

namespace tenon::reference {
namespace {

#include "compute/torch/generated/kernels.inc"

}  // namespace

Kernel kernel_of(const graph::OpDef& op) {
    return kKernels[static_cast<std::size_t>(op.id)];
}

}  // namespace tenon::reference
