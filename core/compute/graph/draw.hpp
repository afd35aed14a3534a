// SPDX-License-Identifier: Apache-2.0
// The numbers of random nodes, the same for every executor. They are a function of the run's seed, the node's stream,
// the program's counter, the member, time step, global row and element. They never depend on the numbers of nodes, or
// on how rows are split into calls.
#pragma once

#include <cstdint>

#include "compute/graph/graph.hpp"
#include "tenon/abi/random.h"

namespace tenon::graph {

// Rows of one member at one time step; their elements are contiguous.
struct Draw {
    tn_key key{};
    std::uint64_t counter = 0;    // of the program's runs; its lower half is used
    std::uint64_t first_row = 0;  // global
    std::uint64_t rows = 1;
    std::uint64_t width = 1;  // elements of a row
    std::uint64_t member = 0;
    std::uint64_t time = 0;
};

// The key of a random node: the seed, and its component and attribute "stream" as the drawer's name.
tn_key stream_key(std::uint64_t seed, const Graph& graph, const Node& node);

// (k + 1/2) 2^-23 with k the upper 23 bits of word 0 of the element's Philox block: exact in float, never 0 or 1.
void draw_uniform(const Draw& draw, float* out);
void draw_uniform(const Draw& draw, double* out);

// Standard normal numbers by random/normal.hpp.
void draw_normal(const Draw& draw, float* out);
void draw_normal(const Draw& draw, double* out);

}  // namespace tenon::graph
