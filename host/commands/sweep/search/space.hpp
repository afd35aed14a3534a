// SPDX-License-Identifier: Apache-2.0
// What a search chooses from: one dimension for each key, and a point with a number for each.
#pragma once

#include <cstddef>
#include <vector>

namespace tenon {

struct Dimension {
    std::size_t choices = 0;  // 0: a range
    double min = 0;
    double max = 0;
    bool log = false;      // equal ratios are equally probable; min > 0
    bool integer = false;  // both ends included
};

using Space = std::vector<Dimension>;
using Point = std::vector<double>;  // the number of the choice, or the value in the range

// Converts between a value of a range and its position from 0 to 1. An integer has the middle of its share as position.
double position_of(const Dimension& dimension, double value);
double value_at(const Dimension& dimension, double position);

}  // namespace tenon
