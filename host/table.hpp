// SPDX-License-Identifier: Apache-2.0
// Prints rows of words in columns, and numbers in readable form.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "train/collect/score.hpp"

namespace tenon::host {

using Row = std::vector<std::string>;

// Columns are as wide as their longest word and separated by two blanks; those whose letter in `sides` is 'r' are
// right-aligned. Empty columns are omitted. Every line begins with the indent.
void print_rows(std::ostream& out, const std::vector<Row>& rows, std::string_view indent = "",
                std::string_view sides = "");

// Four digits, or more for integers: "348.8", "0.0001235", "100096".
std::string number_text(double value);
// "0.70 s", "55.8 s", "12 min 5 s", "3 h 7 min".
std::string duration_text(double seconds);
// "500 +- 0": the mean of the returns and their standard deviation.
std::string mean_text(const Score& score);
// "return 500 +- 0 over 20 episodes of 500 steps".
std::string score_text(const Score& score);
// "640 B", "1.6 kB", "3.25 MB".
std::string size_text(std::uint64_t bytes);

}  // namespace tenon::host
