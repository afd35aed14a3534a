// SPDX-License-Identifier: Apache-2.0
// Runs a program for a part of the lanes at a time if the values that its loops carry would not stay in a cache for all
// lanes, such as the keys and values of long answers. Each step of a loop reads all of them.
#pragma once

#include <cstdint>
#include <memory>

#include "compute/exec/program.hpp"

namespace tenon::compiled {

// What the loops of a program carry from step to step.
struct Carried {
    std::int64_t bytes = 0;  // of a lane
    std::int64_t rows = 1;   // of a lane, such as the agents of a group
};

// How many of `lanes` lanes run together: all of them, or half, a quarter and so on. The number depends only on the
// program, not on the machine, and no part is so small that its products have another form (docs/numerics.md).
std::int64_t lanes_together(const Carried& carried, std::int64_t lanes);

// The program itself, if it has no loops, or if a value depends on several lanes.
std::unique_ptr<Program> in_lane_shares(std::unique_ptr<Program> program, const ProgramSpec& spec,
                                        const Learner& learner);

}  // namespace tenon::compiled
