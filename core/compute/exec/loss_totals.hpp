// SPDX-License-Identifier: Apache-2.0
// Reduces losses: a program's losses may have one value per row, but an update minimises one number for each loss.
#pragma once

#include <cstddef>
#include <span>

#include "compute/exec/program.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

// The inputs that mask and weight rows; -1: the program has none.
struct RowPorts {
    std::ptrdiff_t mask = -1;
    std::ptrdiff_t weight = -1;
};
RowPorts row_ports(std::span<const Port> inputs);

// Replaces the value of each loss by its total: the sum over members of the mean over rows, and over the agents who are
// present in them. The mean counts the rows that the batch's mask marks and that come after the burn-in, and each row
// has the batch's weight. `mask`, `weight`: whether the batch has these columns. The problem is a loss whose rows
// differ from those of the mask or the weights.
Status reduce_losses(graph::Graph& graph, bool mask, bool weight);

}  // namespace tenon
