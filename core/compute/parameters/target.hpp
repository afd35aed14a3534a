// SPDX-License-Identifier: Apache-2.0
// Target network updates.
#pragma once

#include <cstdint>
#include <span>

#include "compute/parameters/network.hpp"

namespace tenon {

struct TargetPlan {
    bool soft = false;
    std::uint32_t tau = 0;   // live value
    std::int64_t every = 1;  // exact number of updates between two target updates
};

// Acts at every plan.every-th call: soft moves the target's parameters by tau of the way to live (1: all the way), hard
// copies them. The network's own state is always copied. Does nothing for a network without a target.
void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live);

}  // namespace tenon
