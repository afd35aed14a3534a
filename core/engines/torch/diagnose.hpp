// SPDX-License-Identifier: Apache-2.0
// Finds the origin of a value that is not finite.
#pragma once

#include <string>
#include <vector>

#include "engines/torch/evaluator.hpp"

namespace tenon::reference {

// Recomputes the nodes in `order` and names the first whose result is not finite although its inputs are; `what` begins
// the sentence: "the loss 'critic.q' is not finite in the program 'update'".
Problem blame(Evaluator& evaluator, const std::vector<graph::NodeId>& order, const Call& call, std::string what);

bool is_finite(const at::Tensor& value);

}  // namespace tenon::reference
