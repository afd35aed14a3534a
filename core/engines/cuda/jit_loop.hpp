// SPDX-License-Identifier: Apache-2.0
// A loop of elementwise operations as text.
#pragma once

#include <span>
#include <string>

#include "engines/cuda/tables.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// A statement that goes through the elements of `blocks`. The loop's tables are among these.
std::string text_of_loop(const LoopWork& work, std::span<const TableCopy> tables);

}  // namespace tenon::compiled::device
