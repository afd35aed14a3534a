// SPDX-License-Identifier: Apache-2.0
// How a target network follows the live one.
#pragma once

#include <cstdint>
#include <span>

#include "learn/network.hpp"

namespace tenon {

struct TargetPlan {
    bool soft = false;
    std::uint32_t tau = 0;   // live value
    std::int64_t every = 1;  // updates between copies or moves, exactly
};

// At every plan.every-th call: soft moves the target's parameters by tau of the way to live (1: all the way), hard
// copies them. The network's own state is copied either way. Nothing happens to a network without a target.
void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live);

}  // namespace tenon
