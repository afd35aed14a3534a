// SPDX-License-Identifier: Apache-2.0
// --jobs: how many runs there are at a time.
#pragma once

#include <cstddef>

#include "base/error/result.hpp"
#include "command_line.hpp"

namespace tenon::host {

// 1 if it is not given.
Result<std::size_t> jobs_of(const CommandLine& line);

}  // namespace tenon::host
