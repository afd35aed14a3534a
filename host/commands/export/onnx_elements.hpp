// SPDX-License-Identifier: Apache-2.0
// Operations on elements in ONNX.
#pragma once

#include "compute/graph/op.hpp"

namespace tenon {

// Whether it is one of them, and ONNX has it or makes it of others.
bool has_element_form(graph::OpId op);

}  // namespace tenon
