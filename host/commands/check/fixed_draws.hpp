// SPDX-License-Identifier: Apache-2.0
// A program whose random numbers are read from columns, so that its rows can be permuted together with their random
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "train/plan/programs.hpp"

namespace tenon {

struct FixedDraws {
    BuiltProgram program;                      // the last inputs are the random numbers
    std::vector<std::vector<double>> columns;  // of these inputs: the numbers that the program itself would draw
};

// Random numbers that all rows share stay in the program. Nothing if a random node does not fit a column: with several
// numbers per row, or one per ensemble member or per step of a scan.
std::optional<FixedDraws> fix_draws(const BuiltProgram& built, std::uint64_t seed, std::uint64_t counter,
                                    const Sizes& sizes);

}  // namespace tenon
