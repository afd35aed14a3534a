// SPDX-License-Identifier: Apache-2.0
// What `tenon bench` takes besides what it measures.
#pragma once

#include <optional>
#include <string>

#include "command_line.hpp"
#include "tenon/core.hpp"

namespace tenon::host {

void add_bench_options(CommandLine& line);

// An option that is not about what is measured.
std::optional<Problem> surplus_option(const CommandLine& line, const std::string& subject);

}  // namespace tenon::host
