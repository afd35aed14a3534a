// SPDX-License-Identifier: Apache-2.0
// tenon run --seeds: several runs, and their table.
#pragma once

#include "command_line.hpp"

namespace tenon::host {

int run_several(const CommandLine& line);

}  // namespace tenon::host
