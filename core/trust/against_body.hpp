// SPDX-License-Identifier: Apache-2.0
// A fused node beside the body that says what it computes: values, and gradients by what is wanted of its inputs.
#pragma once

#include "trust/sample.hpp"

namespace tenon {

// Computed by the executor, in the run's dtype, on the inputs of the sample.
Status check_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample, Learner& learner,
                  const Sizes& sizes);

}  // namespace tenon
