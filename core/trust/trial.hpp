// SPDX-License-Identifier: Apache-2.0
// A fused node and its body on the same inputs, each by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trust/sample.hpp"

namespace tenon {

// Columns with all leading dimensions, one after the other.
struct Trial {
    bool differentiated = false;      // the body has a gradient, or none is wanted
    std::vector<std::size_t> inputs;  // that gradients are of; a value that stands for several inputs is the first
    std::vector<std::vector<double>> kernel;
    std::vector<std::vector<double>> body;
    std::vector<std::vector<double>> kernel_gradients;  // of the sum of weighted outputs
    std::vector<std::vector<double>> body_gradients;
};

// Computed by the executor in the run's dtype. Nothing where it cannot compute the body.
Result<std::optional<Trial>> try_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample,
                                      Learner& learner, const Sizes& sizes);

}  // namespace tenon
