// SPDX-License-Identifier: Apache-2.0
// When other versions of parameters are updated from live: targets, references, and the versions that act with a lag.
#pragma once

#include <cstdint>
#include <span>

#include "base/thread/pool.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

struct TargetPlan {
    bool soft = false;
    std::uint32_t tau = 0;   // live value
    std::int64_t every = 1;  // exact number of updates between two target updates
};

// Acts at every plan.every-th call: soft moves the target's parameters by tau of the way to live (1: all the way), hard
// copies them. The network's own state is always copied. Does nothing for a network without a target. Threads of the
// pool share it and change no bit; null: none do.
void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live,
                   Pool* pool = nullptr);

// Copies live to the reference at every `every`-th call; 0: never. Does nothing for a network without a reference.
void update_reference(Network& network, std::int64_t every);

// At the start of a round: behaviour becomes the oldest of the waiting versions, and live is the newest of them;
// without a lag it becomes live. Does nothing for a network without it.
void advance_behaviour(Network& network);

}  // namespace tenon
