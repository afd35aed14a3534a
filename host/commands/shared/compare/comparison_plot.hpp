// SPDX-License-Identifier: Apache-2.0
// A comparison as pictures.
#pragma once

#include "shared/compare/comparison.hpp"
#include "shared/pictures/chart.hpp"

namespace tenon {

// The metric of each group over its frames, with its interval.
Chart curves_chart(const Comparison& comparison);

// Performance profiles: the fraction of runs whose score is above a threshold.
Chart profiles_chart(const Comparison& comparison);

}  // namespace tenon
