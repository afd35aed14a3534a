// SPDX-License-Identifier: Apache-2.0
// The mean of a few numbers, and its 95 % interval.
#pragma once

#include <span>

namespace tenon {

struct MeanInterval {
    double mean = 0;  // NaN: there are no numbers
    double half = 0;  // the interval is mean +- half, by Student's t; NaN if there is one number only
};

MeanInterval mean_interval(std::span<const double> values);

}  // namespace tenon
