// SPDX-License-Identifier: Apache-2.0
// Statistics of every column of recorded frames, for `tenon data stats`.
#pragma once

#include <string>
#include <vector>

#include "commands/data/episode_summary.hpp"
#include "train/plan/named_frames.hpp"

namespace tenon {

struct ColumnStats {
    std::string key;
    NumberStats all;  // over all elements of all frames
};

// Statistics of the frames, without the last observations of episodes.
std::vector<ColumnStats> stats_of(const NamedFrames& named);

}  // namespace tenon
