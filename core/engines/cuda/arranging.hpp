// SPDX-License-Identifier: Apache-2.0
// The order in which the works of a run are computed, and which of them wait.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/cuda/accesses.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// Works that need nothing of each other form a level. They follow each other without a wait, and begin with different
// blocks. A work is in the first level after all that it needs. `order`: where each was before.
std::vector<RunStep> arrange(std::span<const RunStep> steps, std::span<const TableCopy> tables,
                             std::vector<std::size_t>& order);

}  // namespace tenon::compiled::device
