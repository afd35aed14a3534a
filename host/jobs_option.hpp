// SPDX-License-Identifier: Apache-2.0
// --jobs: the number of runs at a time.
#pragma once

#include <cstddef>

#include "base/error/result.hpp"
#include "command_line.hpp"

namespace tenon::host {

// The number; 1 if it is not given.
Result<std::size_t> jobs_of(const CommandLine& line);

}  // namespace tenon::host
