// SPDX-License-Identifier: Apache-2.0
#include "exec/stage_step.hpp"

#include <cmath>

#include "learn/clip.hpp"

namespace tenon {

std::vector<StageStep> stage_steps(std::span<const StagePlan> stages, Learner& learner) {
    std::vector<StageStep> out;
    for (const StagePlan& stage : stages) {
        out.emplace_back();
        for (const std::uint32_t network : stage.owned) {
            out.back().owned.push_back(&learner.networks[network]);
        }
    }
    return out;
}

double step_stage(const StagePlan& plan, const StageStep& step, DType real, std::span<const double> live) {
    if (step.gathered > 1) {
        scale_gradients(step.owned, real, 1 / static_cast<double>(step.gathered));
    }
    const double norm = gradient_norm(step.owned, real);
    if (!std::isfinite(norm)) {
        return norm;
    }
    clip_gradients(step.owned, real, norm, plan.optimiser.clip_norm);
    for (std::size_t i = 0; i < step.owned.size(); ++i) {
        optimiser_step(*step.owned[i], real, plan.optimiser, live);
        if (i < plan.targets.size()) {
            update_target(*step.owned[i], real, plan.targets[i], live);
        }
    }
    return norm;
}

}  // namespace tenon
