// SPDX-License-Identifier: Apache-2.0
// A program whose random numbers come in as columns, so that its rows can stand in another order and keep what was
// drawn for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "train/programs.hpp"

namespace tenon {

struct FixedDraws {
    BuiltProgram program;                      // its last inputs are the draws
    std::vector<std::vector<double>> columns;  // of these inputs: the numbers that the program itself would draw
};

// Draws without a row, which all rows share, stay as they are. Nothing where there are draws that no column can hold:
// several a row, those of an ensemble's members or of the steps of a scan.
std::optional<FixedDraws> fix_draws(const BuiltProgram& built, std::uint64_t seed, std::uint64_t counter,
                                    const Sizes& sizes);

}  // namespace tenon
