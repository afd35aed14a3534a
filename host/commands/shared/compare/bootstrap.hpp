// SPDX-License-Identifier: Apache-2.0
// Intervals by the stratified bootstrap: the runs of each task are drawn again with replacement, the tasks stay, and
// the interval is between two percentiles of the statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "shared/compare/aggregates.hpp"

namespace tenon {

struct Interval {
    double low = 0;
    double high = 0;
};

struct Estimate {
    double value = 0;
    std::optional<Interval> interval;  // none: a task has a single run
};

struct Bootstrap {
    std::uint32_t draws = 50'000;
    double size = 0.95;
    std::string_view stream = "compare";  // of random numbers: the same for the same data, so output can be compared
};

// The statistic of one or several samples, which are drawn independently of each other.
Estimate estimate(std::span<const Scores> samples, const std::function<double(std::span<const Scores>)>& statistic,
                  const Bootstrap& how = {});
Estimate estimate(const Scores& scores, const std::function<double(const Scores&)>& statistic,
                  const Bootstrap& how = {});

}  // namespace tenon
