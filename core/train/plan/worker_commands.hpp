// SPDX-License-Identifier: Apache-2.0
// The commands that start worker processes on other machines (collector.via).
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

// Each as its words; none: workers are on this machine. A problem: it cannot be read, or its program does not exist.
Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest);

}  // namespace tenon
