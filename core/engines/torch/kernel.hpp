// SPDX-License-Identifier: Apache-2.0
// A kernel is a function of tensors that knows the attributes and types of its node.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::reference {

// One attribute, read once; only the field of its type is set.
struct Slot {
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<std::int64_t> integers;
    std::vector<std::string> texts;
};

struct Frame {
    std::vector<Slot> attributes;  // in the order of the op's definition
    std::vector<graph::Type> in;
    graph::Type out;
    at::ScalarType real = at::kFloat;
    at::ScalarType out_type = at::kFloat;
    std::vector<std::int64_t> row_dims;  // positions of B, T and L in the first input
    std::int64_t member_dim = 0;         // position of its members
};

using Inputs = at::ArrayRef<at::Tensor>;
using Kernel = at::Tensor (*)(const Frame&, Inputs);

// The kernel of an op of the table; null if the executor itself computes it.
Kernel kernel_of(const graph::OpDef& op);

// The functions that the table of ops names as kernels.
#include "engines/torch/generated/kernel_declarations.inc"

// The kernel of a composite that is computed in one pass (exec/composites.hpp).
at::Tensor composite(const Frame& k, Inputs in);

// `reduced`, or x itself if it has no rows: libtorch treats an empty list of dimensions as all dimensions.
at::Tensor over_rows(const Frame& k, const at::Tensor& x, at::Tensor reduced);

}  // namespace tenon::reference
