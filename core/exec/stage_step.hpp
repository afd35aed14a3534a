// SPDX-License-Identifier: Apache-2.0
// The step of one stage once its gradients stand in their networks' slabs: mean over minibatches, clipping, optimiser,
// targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/program.hpp"

namespace tenon {

struct StageStep {
    std::vector<Network*> owned;
    std::int64_t gathered = 0;    // minibatches whose gradients the slabs hold the sum of
    bool shares = false;          // other stages step one of its networks, too, and use its slab between minibatches
    std::vector<std::byte> sums;  // what the slabs held after the minibatch before, where it shares
};

std::vector<StageStep> stage_steps(std::span<const StagePlan> stages, Learner& learner);

// Before the gradients of a minibatch are stored: forgets the sums where it is the first of a step, and otherwise puts
// them back into the slabs.
void begin_part(StageStep& step, const StepPart& part);

// After they are stored: keeps the sums where more minibatches follow.
void end_part(StageStep& step, const StepPart& part);

// The slabs of the stage's networks, one after the other.
std::size_t gradient_bytes(const StagePlan& plan, const Learner& learner);

// Copies them to where the call wants those of the stage.
void leave_gradients(const StageStep& step, std::size_t stage, const Call& call);

// Gives the norm of the mean gradient before clipping; where that is not finite nothing has moved.
double step_stage(const StagePlan& plan, const StageStep& step, DType real, std::span<const double> live);

}  // namespace tenon
