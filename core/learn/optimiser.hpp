// SPDX-License-Identifier: Apache-2.0
// What happens to a network's slabs at the end of a stage: clip, optimiser step, target update. One plain pass each,
// the same for every executor.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "learn/network.hpp"

namespace tenon {

// Numbers are indices into the run's live values, so that schedules can move them.
struct OptimiserPlan {
    std::uint32_t lr = 0;
    std::uint32_t beta1 = 0;
    std::uint32_t beta2 = 0;
    std::uint32_t eps = 0;
    double clip_norm = 0;  // 0: no clipping
};

struct TargetPlan {
    bool soft = false;
    std::uint32_t tau = 0;   // live value
    std::int64_t every = 1;  // updates between copies or moves, exactly
};

// The norm of all gradients of the networks together, summed in double in a fixed order.
double gradient_norm(std::span<Network* const> networks, DType real);

// Scales the gradients so that their norm is at most clip_norm, as torch.nn.utils.clip_grad_norm_ does: by clip_norm /
// (norm + 1e-6) where that is below 1. A clip_norm of 0 clips nothing.
void clip_gradients(std::span<Network* const> networks, DType real, double norm, double clip_norm);

// One Adam step (Kingma and Ba, 2015, algorithm 1, in the order of operations of torch.optim.Adam) on the trainable
// part.
void adam_step(Network& network, DType real, const OptimiserPlan& plan, std::span<const double> live);

// At every plan.every-th call: soft moves the target's parameters by tau of the way to live (1: all the way), hard
// copies them. The network's own state is copied either way. Nothing happens to a network without a target.
void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live);

}  // namespace tenon
