// SPDX-License-Identifier: Apache-2.0
// Rewrites a program for one shard if it reads values of the rows of all shards: such a value becomes a column, and the
// rows that it is computed from become an output (compute/exec/over_shards.hpp). Controls become means over all shards,
// and so do states that would otherwise differ between them.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/exec/program.hpp"
#include "engines/shards/shared_values.hpp"

namespace tenon {

struct SharedValue {
    OfRows what = OfRows::kMean;
    double share = 0;        // of a quantile
    std::size_t input = 0;   // the column
    std::size_t output = 0;  // the rows; of a count there is none
    // The metrics that are the value, if nothing else reads it; it has no column then.
    std::vector<std::size_t> metrics = {};
    graph::Type rows;
    graph::Type value;  // as many elements as the rows have for one row, in the same order
};

struct SharedGraph {
    graph::Graph graph;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<SharedValue> values;
};

SharedGraph share_rows(const ProgramSpec& spec, DType real);

// What each shard sends to the others in one run of the program, apart from gradients.
struct SharedCost {
    std::size_t messages = 0;  // of their own; other numbers go with the gradients
    std::size_t numbers = 0;   // float64, in all
};
SharedCost cost_of(const SharedGraph& shared, std::size_t rows_of_shard, std::size_t shards);

}  // namespace tenon
