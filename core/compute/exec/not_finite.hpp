// SPDX-License-Identifier: Apache-2.0
// The sentence about the first value of a program that is not finite.
#pragma once

#include <span>
#include <string>

#include "base/data/dtype.hpp"
#include "base/error/problem.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

// The smallest and the largest element of a value.
struct ValueRange {
    double least = 0;
    double most = 0;
};

// `what` begins the sentence: "the loss 'critic.q' is nan in the program 'update'". `inputs`: the ranges of the node's
// real inputs.
Problem not_finite_at(const graph::Graph& graph, graph::NodeId node, const std::string& what,
                      std::span<const ValueRange> inputs, DType real);

}  // namespace tenon
