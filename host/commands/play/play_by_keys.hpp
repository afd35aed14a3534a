// SPDX-License-Identifier: Apache-2.0
// tenon play --keys: a person plays in the terminal.
#pragma once

#include "command_line.hpp"

namespace tenon::host {

// The exit code.
int play_by_keys(const CommandLine& line);

}  // namespace tenon::host
