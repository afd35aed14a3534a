// SPDX-License-Identifier: Apache-2.0
// The options of commands that make several runs: how many at a time, and on which machines.
#pragma once

#include "base/error/result.hpp"
#include "command_line.hpp"
#include "shared/seeds/machines.hpp"

namespace tenon::host {

// `when`: "with --seeds, ", or empty.
void add_launch_options(CommandLine& line, const char* when);

bool has_launch_options(const CommandLine& line);

Result<Machines> machines_of(const CommandLine& line);

}  // namespace tenon::host
