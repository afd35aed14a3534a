// SPDX-License-Identifier: Apache-2.0
// Runs a fused node and its body separately on the same inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engines/trust/sample.hpp"

namespace tenon {

// The results of a kernel and of its body, in columns with all leading dimensions, concatenated.
struct Trial {
    bool differentiated = false;      // the body has a gradient, or none is needed
    std::vector<std::size_t> inputs;  // inputs with gradients; a value that is several inputs counts as the first
    std::vector<std::vector<double>> kernel;
    std::vector<std::vector<double>> body;
    std::vector<std::vector<double>> kernel_gradients;  // of the weighted sum of outputs
    std::vector<std::vector<double>> body_gradients;
};

// Computes kernel and body with the executor in the run's dtype. Nothing if it cannot compute the body.
Result<std::optional<Trial>> try_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample,
                                      Learner& learner, const Sizes& sizes);

}  // namespace tenon
