// SPDX-License-Identifier: Apache-2.0
// Values that a plugin wrote to the rows of a dense column [slot][lane][row]: whether they are finite, and how messages
// show them.
#pragma once

#include <cstdint>
#include <string>

#include "base/data/view.hpp"

namespace tenon {

// Whether all elements in the rows of `count` lanes from `first` on are finite; always true for integer types.
bool is_finite(const View& column, std::uint32_t slot, std::uint32_t first, std::uint32_t count);

// The first element of a lane's row that is not finite: "nan", or "inf at element 3" if there are several; empty if all
// are finite.
std::string not_finite(const View& column, std::uint32_t slot, std::uint32_t lane);

// "3", "[0.5, nan]"; only the first elements of a long row.
std::string row_text(const View& column, std::uint32_t slot, std::uint32_t lane);

}  // namespace tenon
