// SPDX-License-Identifier: Apache-2.0
// tenon run --restarts N: the run is another process, which is begun again when it or one of its shards dies.
#pragma once

#include "command_line.hpp"

namespace tenon::host {

// Whether this process is one that will be restarted if it ends because its surroundings fail.
bool is_restarted();

// Returns the exit code of the last process.
int run_with_restarts(const CommandLine& line);

}  // namespace tenon::host
