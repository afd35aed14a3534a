// SPDX-License-Identifier: Apache-2.0
// Round numbers along an axis.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tenon {

// Multiples of 1, 2 or 5 times a power of ten within [low, high], at most `most` (at least 2). For an empty or infinite
// range: none.
std::vector<double> ticks(double low, double high, std::size_t most);

// A tick with the digits that distinguish it from its neighbours: "0.25", "500", "20k", "1.5M".
std::string tick_text(double value, double step);

}  // namespace tenon
