// SPDX-License-Identifier: Apache-2.0
// The options of `tenon bench` other than its subject.
#pragma once

#include <optional>
#include <string>

#include "base/error/problem.hpp"
#include "command_line.hpp"

namespace tenon::host {

void add_bench_options(CommandLine& line);

// The problem of an option that does not apply to the subject.
std::optional<Problem> surplus_option(const CommandLine& line, const std::string& subject);

}  // namespace tenon::host
