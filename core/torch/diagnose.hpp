// SPDX-License-Identifier: Apache-2.0
// Finding where the first value that is not finite came from.
#pragma once

#include <string>
#include <vector>

#include "torch/evaluator.hpp"

namespace tenon::reference {

// Computes the nodes again in order, as `order` has them, and names the first whose result is not finite while its
// inputs are; `what` is the sentence's beginning: "the loss 'critic.q' is not finite in the program 'update'".
Problem blame(Evaluator& evaluator, const std::vector<graph::NodeId>& order, const Call& call, std::string what);

bool is_finite(const at::Tensor& value);

}  // namespace tenon::reference
