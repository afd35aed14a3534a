// SPDX-License-Identifier: Apache-2.0
// How many frames an env makes in a second.
#pragma once

#include <cstdint>

#include "env/lanes.hpp"

namespace tenon {

struct EnvBench {
    std::uint32_t lanes = 0;
    unsigned threads = 0;
    std::uint64_t frames = 0;  // in the time measured
    double seconds = 0;
    double frames_per_s = 0;
};

// Fills the action columns of all slots with what their specs allow.
void draw_actions(const Composite& specs, Storage& storage, std::uint64_t seed);

// Steps the lanes for about so many seconds, after a warm-up, with actions drawn beforehand from their specs: the time
// is the env's and its transforms' alone: their numbers are not looked at. Binds the lanes to a storage of its own, so
// they must be bound anew afterwards.
Result<EnvBench> bench_env(Lanes& lanes, const Pool& pool, double seconds, std::uint64_t seed);

}  // namespace tenon
