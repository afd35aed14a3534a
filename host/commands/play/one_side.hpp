// SPDX-License-Identifier: Apache-2.0
// tenon play --keys --side: a person takes one side of a game, and a run's policy the others.
#pragma once

#include "command_line.hpp"

namespace tenon::host {

// The exit code.
int play_one_side(const CommandLine& line);

}  // namespace tenon::host
