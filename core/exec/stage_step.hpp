// SPDX-License-Identifier: Apache-2.0
// The step of one stage once its gradients stand in their networks' slabs: mean over minibatches, clipping, optimiser,
// targets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/program.hpp"

namespace tenon {

struct StageStep {
    std::vector<Network*> owned;
    std::int64_t gathered = 0;  // minibatches whose gradients the slabs hold the sum of
};

std::vector<StageStep> stage_steps(std::span<const StagePlan> stages, Learner& learner);

// Gives the norm of the mean gradient before clipping; where that is not finite nothing has moved.
double step_stage(const StagePlan& plan, const StageStep& step, DType real, std::span<const double> live);

}  // namespace tenon
