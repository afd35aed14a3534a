// SPDX-License-Identifier: Apache-2.0
// Operations on elements in ONNX.
#pragma once

#include "compute/graph/op.hpp"

namespace tenon {

// Whether it is an operation on elements that ONNX has, or that can be composed in ONNX.
bool has_element_form(graph::OpId op);

}  // namespace tenon
