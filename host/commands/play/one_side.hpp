// SPDX-License-Identifier: Apache-2.0
// tenon play --keys --side: a person takes one side of a game, and a run's policy the others.
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "command_line.hpp"
#include "train/collect/score.hpp"

namespace tenon::host {

// The score of the episodes that ended; none if there are problems, or if the person has left the first one.
std::optional<Score> play_one_side(const CommandLine& line, Problems& problems);

}  // namespace tenon::host
