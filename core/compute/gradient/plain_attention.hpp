// SPDX-License-Identifier: Apache-2.0
// Attention as products, comparisons and a softmax, for programs that have no kernel for it, and for second
// derivatives.
#pragma once

#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// The value of an attention.
ValueId plain_attention(Extension& extension, const Node& node);

}  // namespace tenon::graph
