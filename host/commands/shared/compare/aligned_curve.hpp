// SPDX-License-Identifier: Apache-2.0
// The curves of several runs as one curve with an interval.
#pragma once

#include <vector>

#include "shared/compare/bootstrap.hpp"

namespace tenon {

struct RunCurve {
    std::size_t task = 0;
    const std::vector<double>* x;  // increasing
    const std::vector<double>* y;
};

struct AlignedCurve {
    std::vector<double> x;
    std::vector<double> value;
    std::vector<double> low;  // as value if there is no interval
    std::vector<double> high;
};

using Statistic = double (*)(const Scores& scores);

// The curve at positions that every run covers; the value of a run is interpolated linearly between its two nearest
// points. At most `most` positions.
AlignedCurve align(const std::vector<RunCurve>& runs, std::size_t tasks, Statistic statistic, std::size_t most = 300);

}  // namespace tenon
