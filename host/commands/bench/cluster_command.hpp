// SPDX-License-Identifier: Apache-2.0
// tenon bench cluster: what shards would cost here.
#pragma once

#include <optional>

#include "command.hpp"
#include "command_line.hpp"
#include "run/start/setup.hpp"

namespace tenon::host {

// `program`: its update is measured as well.
int bench_cluster(const CommandLine& line, const std::optional<Request>& program, const Arguments& arguments);

}  // namespace tenon::host
