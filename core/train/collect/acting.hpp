// SPDX-License-Identifier: Apache-2.0
// What acting reads of a run at one step of its lanes.
#pragma once

#include <cstdint>
#include <span>

#include "compute/exec/call.hpp"
#include "train/plan/wiring.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

struct Acting {
    RunNumbers numbers = {};
    std::uint64_t counter = 0;  // of random numbers, which depend on nothing else but the lane
    bool randomly = false;      // by random actions; a policy that remembers sees the step nevertheless
};

// In a training run: its first frames are of random actions (train.start_frames), if something learns from them.
[[nodiscard]] Acting acting_at(const Wiring& wiring, const Standing& standing, std::span<const double> live,
                               bool same_parameters);

}  // namespace tenon
