// SPDX-License-Identifier: Apache-2.0
// What a plugin wrote into the rows of a dense column [slot][lane][row]: whether they are numbers at all, and how a
// sentence shows them.
#pragma once

#include <cstdint>
#include <string>

#include "data/view.hpp"

namespace tenon {

// Whether all elements in the rows of `count` lanes from `first` on are finite. What is not of a float type always is.
bool is_finite(const View& column, std::uint32_t slot, std::uint32_t first, std::uint32_t count);

// The first element of a lane's row that is not: "nan", or "inf at element 3" where there are several; empty where all
// are.
std::string not_finite(const View& column, std::uint32_t slot, std::uint32_t lane);

// "3", "[0.5, nan]"; of long rows the first elements.
std::string row_text(const View& column, std::uint32_t slot, std::uint32_t lane);

}  // namespace tenon
