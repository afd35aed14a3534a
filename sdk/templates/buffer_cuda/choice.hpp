// SPDX-License-Identifier: Apache-2.0
// Which of a lane's frames a row is, on the CPU and in kernels: its age, counted from the oldest.
#pragma once

#include <cstdint>

#include <tenon/lane_math.hpp>

template <class Random>
TENON_BOTH std::uint32_t choose(Random& random, std::uint32_t held, double share) {
    const auto part = static_cast<std::uint32_t>(share * held);
    const std::uint32_t newest = part > 1 ? part : 1;
    return held - newest + static_cast<std::uint32_t>(random.below(newest));
}
