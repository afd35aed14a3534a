// SPDX-License-Identifier: Apache-2.0
// How long a call takes, over many of them.
#pragma once

#include <cstdint>
#include <functional>

#include "error/result.hpp"

namespace tenon {

struct Times {
    double median_us = 0;
    double min_us = 0;
    double p95_us = 0;
    double cpu_us = 0;  // the median of the processor time: a busy machine makes only the others longer
};

// Calls it at least 50 times and for about so many seconds, after a few to warm up. Calls so short that the clock would
// be seen are timed together, and each of them counts as so long as all of them took in the mean.
Result<Times> time_calls(const std::function<Status()>& call, double seconds);

}  // namespace tenon
