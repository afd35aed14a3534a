// SPDX-License-Identifier: Apache-2.0
// How a network's parameters follow their gradient at the end of a stage: one plain pass over its slabs, the same for
// every executor. Each algorithm is that of torch.optim, operation for operation, in the run's real type; it acts on
// every trainable parameter, so weight decay shrinks biases, too, as in torch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "learn/network.hpp"

namespace tenon {

// Numbers are indices into the run's live values, so that schedules can move them.

// Kingma and Ba, 2015, algorithm 1; decoupled: Loshchilov and Hutter, 2019, algorithm 2.
struct AdamPlan {
    std::uint32_t lr = 0;
    std::uint32_t beta1 = 0;
    std::uint32_t beta2 = 0;
    std::uint32_t eps = 0;
    std::uint32_t weight_decay = 0;
    bool decoupled = false;  // the decay shrinks the parameters, not the gradient's way through the moments

    bool operator==(const AdamPlan&) const = default;
};

struct SgdPlan {
    std::uint32_t lr = 0;
    std::uint32_t momentum = 0;
    std::uint32_t dampening = 0;
    std::uint32_t weight_decay = 0;
    bool nesterov = false;
    bool keeps_momentum = false;  // it is not 0, or may become so

    bool operator==(const SgdPlan&) const = default;
};

struct RmspropPlan {
    std::uint32_t lr = 0;
    std::uint32_t alpha = 0;
    std::uint32_t eps = 0;
    std::uint32_t momentum = 0;
    std::uint32_t weight_decay = 0;
    bool centered = false;
    bool keeps_momentum = false;

    bool operator==(const RmspropPlan&) const = default;
};

struct OptimiserPlan {
    std::variant<AdamPlan, SgdPlan, RmspropPlan> rule;
    double clip_norm = 0;  // 0: no clipping
};

// What the rule remembers of every parameter from step to step, by the names that torch gives it, in the order of the
// network's optimiser_state.
std::vector<std::string_view> state_names(const OptimiserPlan& plan);

// Gives the network what the rule remembers, at zero, in place of what it had. The problem is too little memory.
Status begin_optimiser(Network& network, DType real, const OptimiserPlan& plan);

// One step on the trainable part, with network.gradient. begin_optimiser has been called with the same rule.
void optimiser_step(Network& network, DType real, const OptimiserPlan& plan, std::span<const double> live);

}  // namespace tenon
