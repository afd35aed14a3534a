// SPDX-License-Identifier: Apache-2.0
// Copies as text.
#pragma once

#include <span>
#include <string>

#include "engines/cuda/tables.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// A statement that copies the elements of `blocks`. The work's table is among these.
std::string text_of_copy(const CopyWork& work, std::span<const TableCopy> tables);

}  // namespace tenon::compiled::device
