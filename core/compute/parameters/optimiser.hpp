// SPDX-License-Identifier: Apache-2.0
// The optimisers: one plain pass over a network's slabs at the end of a stage, the same for every executor. Each
// algorithm is that of torch.optim (LAMB: of timm), operation for operation, in the run's real type. It updates every
// trainable parameter, so weight decay shrinks biases as well, as in torch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/thread/pool.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// The members are indices of live values, so that schedules can change them.

// Kingma and Ba, 2015, algorithm 1; decoupled: Loshchilov and Hutter, 2019, algorithm 2.
struct AdamPlan {
    std::uint32_t lr = 0;
    std::uint32_t beta1 = 0;
    std::uint32_t beta2 = 0;
    std::uint32_t eps = 0;
    std::uint32_t weight_decay = 0;
    bool decoupled = false;  // the decay shrinks the parameters directly and does not enter the moments

    bool operator==(const AdamPlan&) const = default;
};

// You et al. 2020, algorithm 2.
struct LambPlan {
    std::uint32_t lr = 0;
    std::uint32_t beta1 = 0;
    std::uint32_t beta2 = 0;
    std::uint32_t eps = 0;
    std::uint32_t weight_decay = 0;

    bool operator==(const LambPlan&) const = default;
};

struct SgdPlan {
    std::uint32_t lr = 0;
    std::uint32_t momentum = 0;
    std::uint32_t dampening = 0;
    std::uint32_t weight_decay = 0;
    bool nesterov = false;
    bool keeps_momentum = false;  // the momentum is not 0, or may become so

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
    std::variant<AdamPlan, SgdPlan, RmspropPlan, LambPlan> rule;
    double clip_norm = 0;  // 0: no clipping
};

// The names of the optimiser's state per parameter, as in torch, in the order of the network's optimiser_state.
std::vector<std::string_view> state_names(const OptimiserPlan& plan);

// Replaces the network's optimiser state by a new one, initially zero. The problem is a lack of memory.
Status begin_optimiser(Network& network, DType real, const OptimiserPlan& plan);

// One step of the trainable parameters with network.gradient. Requires begin_optimiser with the same plan. Threads of
// the pool share it and change no bit; null: none do.
void optimiser_step(Network& network, DType real, const OptimiserPlan& plan, std::span<const double> live,
                    Pool* pool = nullptr);

}  // namespace tenon
