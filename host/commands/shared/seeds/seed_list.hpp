// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// "0-4,11": from 0 to 4, and 11. Each seed once, at most 10,000.
Result<std::vector<std::int64_t>> read_seeds(const std::string& text);

}  // namespace tenon
