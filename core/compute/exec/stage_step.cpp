// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/stage_step.hpp"

#include <algorithm>
#include <cmath>

#include "compute/parameters/clip.hpp"

namespace tenon {
namespace {

bool shares_network(std::span<const StagePlan> stages, std::size_t stage) {
    const std::vector<std::uint32_t>& owned = stages[stage].owned;
    for (std::size_t other = 0; other < stages.size(); ++other) {
        if (other != stage && std::ranges::find_first_of(owned, stages[other].owned) != owned.end()) {
            return true;
        }
    }
    return false;
}

void copy_slabs(const StageStep& step, std::byte* to) {
    for (const Network* network : step.owned) {
        to = std::copy_n(network->gradient.as<std::byte>(), network->gradient.size(), to);
    }
}

}  // namespace

std::vector<StageStep> stage_steps(std::span<const StagePlan> stages, Learner& learner) {
    std::vector<StageStep> out;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        out.emplace_back();
        out.back().shares = shares_network(stages, i);
        for (const std::uint32_t network : stages[i].owned) {
            out.back().owned.push_back(&learner.networks[network]);
        }
    }
    return out;
}

Status keep_sums(StageStep& step) {
    std::size_t bytes = 0;
    for (const Network* network : step.owned) {
        bytes += network->gradient.size();
    }
    step.sums.resize(bytes);
    copy_slabs(step, step.sums.data());
    return {};
}

Status bring_sums(StageStep& step) {
    const std::byte* from = step.sums.data();
    for (Network* network : step.owned) {
        std::copy_n(from, network->gradient.size(), network->gradient.as<std::byte>());
        from += network->gradient.size();
    }
    return {};
}

std::size_t gradient_bytes(const StagePlan& plan, const Learner& learner) {
    std::size_t out = 0;
    for (const std::uint32_t network : plan.owned) {
        out += learner.networks[network].gradient.size();
    }
    return out;
}

Status leave_gradients(const StageStep& step, void* to) {
    copy_slabs(step, static_cast<std::byte*>(to));
    return {};
}

double step_stage(const StagePlan& plan, const StageStep& step, DType real, std::span<const double> live, Pool* pool) {
    if (step.gathered > 1) {
        scale_gradients(step.owned, real, 1 / static_cast<double>(step.gathered), pool);
    }
    const double norm = gradient_norm(step.owned, real, pool);
    if (!std::isfinite(norm)) {
        return norm;
    }
    clip_gradients(step.owned, real, norm, plan.optimiser.clip_norm, pool);
    for (std::size_t i = 0; i < step.owned.size(); ++i) {
        optimiser_step(*step.owned[i], real, plan.optimiser, live, pool);
        if (i < plan.targets.size()) {
            update_target(*step.owned[i], real, plan.targets[i], live, pool);
        }
        if (i < plan.references.size()) {
            update_reference(*step.owned[i], plan.references[i]);
        }
    }
    return norm;
}

}  // namespace tenon
