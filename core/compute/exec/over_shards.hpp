// SPDX-License-Identifier: Apache-2.0
// Which values of a program all shards of a run compute together, and which are the same in all of them anyway.
//
// A shard has a share of the rows. Before it runs, each value of all rows (batch_mean and the like) is replaced by a
// column whose name begins with kOverShards, and an output of the same name has the rows of this shard. The column is
// known after the phase of the output (phase_plan.hpp), when the shards have exchanged their numbers (exchange.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon {

inline constexpr std::string_view kOverShards = "shards/";

inline bool is_over_shards(std::string_view column) {
    return column.starts_with(kOverShards);
}

struct OverShards {
    // For each value: whether it is the same in all shards, if their parameters are and will be.
    std::vector<bool> alike;
    std::vector<graph::NodeId> together;  // the values of all rows that are read
    std::vector<graph::NodeId> in_scans;  // those that shards cannot compute together
};

OverShards over_shards(const graph::Graph& graph);

// For each node: whether losses, columns, controls or states need it, and not only metrics.
std::vector<bool> needed_beyond_metrics(const graph::Graph& graph);

}  // namespace tenon
