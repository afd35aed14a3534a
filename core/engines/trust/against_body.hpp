// SPDX-License-Identifier: Apache-2.0
// Compares a fused node with the body that defines it: values, and gradients of the inputs that need them.
#pragma once

#include "engines/trust/sample.hpp"

namespace tenon {

// Makes the comparison with the executor, in the run's dtype, with the inputs of the sample.
Status check_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample, Learner& learner,
                  const Sizes& sizes);

}  // namespace tenon
