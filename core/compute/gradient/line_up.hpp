// SPDX-License-Identifier: Apache-2.0
// Gives a gradient the dimensions of its value.
#pragma once

#include "compute/gradient/extension.hpp"

namespace tenon::graph {

// Sums the gradient over dimensions that the value lacks, and broadcasts it along those that the gradient lacks.
ValueId lined_up(Extension& graph, ValueId part, ValueId value);

}  // namespace tenon::graph
