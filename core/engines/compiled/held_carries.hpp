// SPDX-License-Identifier: Apache-2.0
// Which carried values of a scan can be held in one place.
//
// A scan stores what it carries at every step. If each step only puts rows into a value, and at most its last state is
// read, the rows can be written in place, so that a step costs a row and not the whole value. In a scan that ends with
// its rows, rows that are done may change if nothing outside the scan reads the value, because they affect no other
// row.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::compiled {

// Who reads the values of a program.
struct Readers {
    const graph::Graph& graph;
    const std::vector<bool>& needed;           // by node
    const std::vector<graph::ValueId>* shown;  // values that are read after the run; null: any may be

    [[nodiscard]] bool any(graph::ValueId value) const;
    // Whether others read at most that number along the dimension.
    [[nodiscard]] bool only(graph::ValueId value, graph::Dim along, std::int64_t number) const;
};

struct HeldCarry {
    bool held = false;
    graph::ValueId result = 0;   // what the step makes of it
    graph::NodeId unneeded = 0;  // the node that keeps it in rows that are done; 0: none
};

// One entry for each value that the scan carries; the scan runs `steps` steps.
std::vector<HeldCarry> find_held(const Readers& readers, const graph::Node& scan, std::int64_t steps);

}  // namespace tenon::compiled
