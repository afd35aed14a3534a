// SPDX-License-Identifier: Apache-2.0
// The order in which the works of a run are computed, and which of them wait.
//
// The blocks of a launch wait for each other at barriers, which cost time however little is computed. Works are a
// graph: an edge leads from a work to a later one that reads what it writes, or writes what it reads or writes. The
// level of a work is the length of the longest path to it, so works of one level have no edges between them, and one
// barrier after each level suffices. There are as few levels as the longest path requires.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/cuda/accesses.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// Orders the steps by levels. Works of one level follow each other without a wait, and begin with different blocks.
// `order`: the place of each step before.
std::vector<RunStep> arrange(std::span<const RunStep> steps, std::span<const TableCopy> tables,
                             std::vector<std::size_t>& order);

}  // namespace tenon::compiled::device
