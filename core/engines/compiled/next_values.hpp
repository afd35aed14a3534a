// SPDX-License-Identifier: Apache-2.0
// Finds values over whole steps that a program would compute twice. Except at the end of an episode, the row of
// "next.x" is that of "x" one step later, so a value over next columns mostly equals the value over the columns one
// step later. Without this, whole runs take more of the processor's time: A2C on CartPole 5 to 8 %, PPO on Catch 5 %,
// PPO on CartPole with batches of 512 frames 2 to 4 %, PPO on Pendulum and HalfCheetah about the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/compiled/update_graph.hpp"

namespace tenon::compiled {

inline constexpr std::int64_t kRowsAtOnce = 32;  // of the rows that are computed separately

// A value computed row by row from next columns, and the same computation on the columns.
struct NextValue {
    struct Columns {
        std::size_t next = 0;  // port
        std::size_t now = 0;
    };
    graph::ValueId next = 0;
    graph::ValueId now = 0;
    std::vector<Columns> columns;  // the inputs that vary by step
};

// The values for which it pays. Nodes that only they need are removed from UpdateGraph::needed, but not they
// themselves.
std::vector<NextValue> find_next_values(UpdateGraph& update, std::span<const Port> inputs, const Sizes& sizes);

}  // namespace tenon::compiled
