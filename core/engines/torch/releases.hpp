// SPDX-License-Identifier: Apache-2.0
// When a program can release a value.
#pragma once

#include <vector>

#include "engines/torch/evaluator.hpp"

namespace tenon::reference {

// For each position in order, the values that are not read afterwards; `kept` are read later.
std::vector<std::vector<graph::ValueId>> releases(const Evaluator& evaluator, const std::vector<graph::NodeId>& order,
                                                  const std::vector<graph::ValueId>& kept);

}  // namespace tenon::reference
