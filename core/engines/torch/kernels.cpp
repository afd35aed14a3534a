// SPDX-License-Identifier: Apache-2.0
// The kernel of every op, from the table of ops.
#include "engines/torch/along.hpp"
#include "engines/torch/images.hpp"
#include "engines/torch/kernel.hpp"
#include "engines/torch/structure.hpp"
#include "engines/torch/vector_tanh.hpp"

namespace tenon::reference {
namespace {

#include "engines/torch/generated/kernels.inc"

}  // namespace

Kernel kernel_of(const graph::OpDef& op) {
    return kKernels[static_cast<std::size_t>(op.id)];
}

}  // namespace tenon::reference
