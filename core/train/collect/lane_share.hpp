// SPDX-License-Identifier: Apache-2.0
// Which lanes of a run a process has. What a lane does depends on its number in the run and on how many lanes the run
// has, so that it is the same in whatever process the lane is.
#pragma once

#include <cstdint>

namespace tenon {

struct LaneShare {
    std::uint32_t first = 0;
    std::uint32_t all = 0;  // lanes of the run; 0: the process has all of them
};

}  // namespace tenon
