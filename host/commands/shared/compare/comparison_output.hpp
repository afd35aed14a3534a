// SPDX-License-Identifier: Apache-2.0
// A comparison for people and for other programs.
#pragma once

#include <string>

#include "shared/compare/comparison.hpp"
#include "shared/pictures/chart.hpp"

namespace tenon {

// The metric of each group over its frames, with its interval.
Chart curves_chart(const Comparison& comparison);

// Performance profiles: the fraction of runs whose score is above a threshold.
Chart profiles_chart(const Comparison& comparison);

// Everything, on one line.
std::string comparison_json(const Comparison& comparison);

// A line for each run, after a header.
std::string comparison_csv(const Comparison& comparison);

}  // namespace tenon
