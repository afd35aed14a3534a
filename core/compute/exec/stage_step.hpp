// SPDX-License-Identifier: Apache-2.0
// The step of one stage, once its gradients are in its networks' slabs: mean over minibatches, clipping, optimiser,
// targets, references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread/pool.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

struct StageStep {
    std::vector<Network*> owned;
    std::int64_t gathered = 0;  // minibatches whose gradients are summed in the slabs
    bool shares = false;  // another stage steps one of its networks as well, and uses its slab between minibatches
    std::vector<std::byte> sums;                // the slabs after the previous minibatch, if it shares
    std::shared_ptr<void> on_device = nullptr;  // the same on a device
};

std::vector<StageStep> stage_steps(std::span<const StagePlan> stages, Learner& learner);

// Saves the sums in the slabs of a stage that shares networks, and restores them before the next minibatch.
// As those of DeviceSlabs, they return a status.
Status keep_sums(StageStep& step);
Status bring_sums(StageStep& step);

// The bytes of the slabs of the stage's networks, concatenated.
std::size_t gradient_bytes(const StagePlan& plan, const Learner& learner);

// Copies the gradients of its networks, one after the other.
Status leave_gradients(const StageStep& step, void* to);

// Makes the step, and returns the norm of the mean gradient before clipping. If the norm is not finite, nothing has
// changed. Threads of the pool share the work and change no bit; null: none do.
double step_stage(const StagePlan& plan, const StageStep& step, DType real, std::span<const double> live, Pool* pool);

}  // namespace tenon
