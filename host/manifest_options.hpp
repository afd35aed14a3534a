// SPDX-License-Identifier: Apache-2.0
// The options of all commands that take a manifest.
#pragma once

#include "command_line.hpp"
#include "tenon/core.hpp"

namespace tenon::host {

void add_manifest_options(CommandLine& line);

// --seed N becomes the override run.seed=N, which is applied last.
Request manifest_request(const CommandLine& line);

}  // namespace tenon::host
