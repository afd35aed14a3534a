// SPDX-License-Identifier: Apache-2.0
// tenon bench cluster: what shards would cost here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "command.hpp"
#include "command_line.hpp"
#include "run/start/setup.hpp"

namespace tenon::host {

// Says that the ratio of an exchange to plain TCP is above its bar. load: the machine's load average before the
// measurement, which is the likely reason if other processes run.
std::string over_bar(std::size_t floats, double ratio, double most, double load);

// `program`: its update is measured as well.
int bench_cluster(const CommandLine& line, const std::optional<Request>& program, const Arguments& arguments);

}  // namespace tenon::host
