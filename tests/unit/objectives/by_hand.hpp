// SPDX-License-Identifier: Apache-2.0
// What the objectives and networks compute, written out in plain loops from the papers' formulas and from the
// parameters in the slabs: it shares no code with graphs or executors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compute/graph/graph.hpp"
#include "compute/parameters/network.hpp"

namespace tenon::test {

using Vector = std::vector<double>;

// A multi-layer perceptron of plugins/policies/mlp on one row, in float64; `activation` is tanh, relu or silu, and
// `before` what the names of layers begin with that are hidden without exception.
Vector mlp(const Network& network, const Slab& slab, const Vector& input, const std::string& activation = "tanh",
           std::size_t member = 0, const std::string& before = "");

double smooth_l1(double error);
Vector log_softmax(const Vector& logits);
double softplus(double x);

// One row of a normal that tanh squashes into [low, high], out of the 2 n numbers of its network and n noises.
struct Squashed {
    Vector action;
    double log_prob = 0;
};
Squashed squash(const Vector& out, const Vector& noise, const Vector& low, const Vector& high);

// The numbers of the graph's `index`-th random normal node: [rows][width].
Vector noise_of(const graph::Graph& graph, std::size_t index, std::uint64_t seed, std::uint64_t counter,
                std::size_t rows, std::size_t width);

}  // namespace tenon::test
