// SPDX-License-Identifier: Apache-2.0
// What a program over whole steps computes twice. Where no episode ends, the row of "next.x" is that of "x" one step
// later, so that a value over next columns is mostly the same value over the columns themselves, a step later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiled/update_graph.hpp"

namespace tenon::compiled {

inline constexpr std::int64_t kRowsAtOnce = 32;  // of those that are computed by themselves

// A value computed row by row from next columns, and the one that is computed in the same way from their columns.
struct Ahead {
    struct Columns {
        std::size_t next = 0;  // port
        std::size_t now = 0;
    };
    graph::ValueId next = 0;
    graph::ValueId now = 0;
    std::vector<Columns> columns;  // what it is computed from, besides what no step has a part in
};

// Those that are worth it. The nodes that only they need are taken out of UpdateGraph::needed, they themselves are not.
std::vector<Ahead> take_steps_ahead(UpdateGraph& update, std::span<const PortSpec> inputs, const Sizes& sizes);

}  // namespace tenon::compiled
