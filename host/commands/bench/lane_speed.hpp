// SPDX-License-Identifier: Apache-2.0
// Measures an env's frames per second.
#pragma once

#include <cstdint>

#include "experience/env/lanes.hpp"

namespace tenon {

struct EnvBench {
    std::uint32_t lanes = 0;
    unsigned threads = 0;
    std::uint64_t frames = 0;  // during the measurement
    double seconds = 0;
    double frames_per_s = 0;
};

// Steps the lanes for about this many seconds, after a warm-up, with actions drawn in advance, or at each step if the
// env masks some. It measures only the env and its transforms, and therefore skips output validation. Binds the lanes
// to its own storage, so they must be bound again afterwards.
Result<EnvBench> bench_env(Lanes& lanes, const Pool& pool, double seconds, std::uint64_t seed);

}  // namespace tenon
