// SPDX-License-Identifier: Apache-2.0
// Measures the time of a call by many repetitions.
#pragma once

#include <functional>

#include "base/error/result.hpp"

namespace tenon {

struct Times {
    double median_us = 0;
    double min_us = 0;
    double p95_us = 0;
    double cpu_us = 0;  // the median processor time, which other processes on a busy machine hardly affect
};

// Repeats the call at least 50 times and for about this many seconds, after a short warm-up. Slow calls are repeated
// less often: for at most twice as long, or for a few calls. Very short calls are timed in groups, because of the
// clock's overhead; each call of a group counts with the group's mean. finish: ends what several calls have begun; its
// time belongs to them. Empty if each call waits for its own work.
Result<Times> time_calls(const std::function<Status()>& call, double seconds,
                         const std::function<Status()>& finish = {});

}  // namespace tenon
