// SPDX-License-Identifier: Apache-2.0
// The kernel of every op, from the table of ops.
#include "torch/along.hpp"
#include "torch/images.hpp"
#include "torch/kernel.hpp"
#include "torch/structure.hpp"
#include "torch/vector_tanh.hpp"

namespace tenon::reference {
namespace {

#include "torch/generated/kernels.inc"

}  // namespace

Kernel kernel_of(const graph::OpDef& op) {
    return kKernels[static_cast<std::size_t>(op.id)];
}

}  // namespace tenon::reference
