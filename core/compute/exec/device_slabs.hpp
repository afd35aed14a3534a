// SPDX-License-Identifier: Apache-2.0
// The slabs of a learner on a device: executors compute updates with them, and stages step them.
#pragma once

#include <cstddef>
#include <span>

#include "compute/exec/stage_step.hpp"
#include "compute/parameters/device_copies.hpp"

namespace tenon {

class DeviceLink;  // engines/shards/device_link.hpp

class DeviceSlabs {
public:
    virtual ~DeviceSlabs() = default;

    // Call it when an update begins: copies to the device what the host has changed since the last update.
    virtual Status begin_update() = 0;
    // Call it when work that changes these slabs has been enqueued.
    virtual void changed(SlabKinds kinds) = 0;
    // Enqueues the steps that were kept back, so that work that others enqueue later sees their results.
    virtual Status send() = 0;
    // The memory of a network's live, target or reference slab.
    [[nodiscard]] virtual std::byte* memory(std::size_t network, ParameterSlab which) const = 0;
    [[nodiscard]] virtual std::byte* gradient(std::size_t network) const = 0;

    // As the functions of these names in stage_step.hpp.
    virtual Status keep_sums(StageStep& step) = 0;
    virtual Status bring_sums(StageStep& step) = 0;
    // Copies a stage's gradients to the host's memory `to`.
    virtual Status leave_gradients(const StageStep& step, void* to) = 0;
    // Copies the gradients of these networks from the host's slabs.
    virtual Status take_gradients(std::span<Network* const> networks) = 0;
    // Enqueues the sums of these networks' gradients over all processes that the link connects.
    virtual Status sum_gradients(std::span<Network* const> networks, DeviceLink& link) = 0;
    // If the norm of the mean gradient is not finite, nothing changes.
    virtual Status step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) = 0;
    // The norm of the mean gradient before clipping, once the step has been computed.
    virtual Result<double> norm_of(const StageStep& step) = 0;
};

}  // namespace tenon
