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
    // the graph may come from a module with its own copy of the table
    const graph::OpDef* own = graph::find_op(op.name, op.revision);
    return own == nullptr ? nullptr : kKernels[own - graph::op_table().data()];
}

}  // namespace tenon::reference
