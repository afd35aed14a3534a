// SPDX-License-Identifier: Apache-2.0
// A gradient with the dimensions of the value that it is of.
#pragma once

#include "gradient/extension.hpp"

namespace tenon::graph {

// What the value lacks of the part's dimensions is summed; for those that the part lacks it is the same everywhere.
ValueId lined_up(Extension& graph, ValueId part, ValueId value);

}  // namespace tenon::graph
