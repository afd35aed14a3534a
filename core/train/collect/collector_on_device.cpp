// SPDX-License-Identifier: Apache-2.0
// Collecting on a device: acting, stepping and keeping are enqueued, and the host looks once a round.
#include <cassert>
#include <string>
#include <utility>

#include "experience/replay/device_sampler.hpp"
#include "train/collect/collector.hpp"

namespace tenon {

Status Collector::move_to_device(std::uint32_t steps, std::shared_ptr<Device> device) {
    DeviceLanes lanes = lanes_.on_device()->columns_on_device();
    lanes.reward = lanes_.summed();
    Result<std::unique_ptr<DeviceRing>> made = DeviceRing::make(*storage_, std::move(device), std::move(lanes), steps);
    if (!made) {
        Problem problem = std::move(made).error();
        problem.sentence = "the columns of " + lanes_.name() + ": " + problem.sentence;
        return problem;
    }
    ring_ = std::move(*made);
    rewards_.resize(storage_->lanes());
    return {};
}

Status Collector::act_on_device(const RunNumbers& numbers, std::uint64_t counter, bool randomly) {
    const Timed timed(profile_, acting_);
    if (!randomly) {
        return actor_->act_on_device(storage_->lanes(), numbers, counter);
    }
    random_->act(*storage_, counter);
    Status sent;
    for (const Spec& spec : lanes_.specs().specs) {
        if (spec.role == Role::kAction && sent) {
            sent = ring_->send_present(spec.key);
        }
    }
    return sent;
}

Status Collector::step_on_device(const RunNumbers& numbers, std::uint64_t counter, bool randomly) {
    Status done = ring_->is_full() ? wait_for_device() : Status();
    count_device_steps();
    done = done ? ring_->take_newest() : done;
    done = done ? act_on_device(numbers, counter, randomly) : done;
    const Timed timed(profile_, stepping_);
    done = done ? lanes_.enqueue_step(*ring_) : done;
    return done;
}

Status Collector::wait_for_device() {
    count_device_steps();
    const Timed timed(profile_, stepping_);
    const DeviceRing::Looked looked = TENON_TRY(ring_->look());
    TENON_TRY(fault_of(looked.faults));
    uncounted_ = looked.steps;
    return {};
}

void Collector::count_device_steps() {
    if (uncounted_ == 0) {
        return;
    }
    const Timed timed(profile_, stepping_);
    const std::uint32_t steps = std::exchange(uncounted_, 0);
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t slot = storage_->slot_back(steps - step);
        ring_->show(step, slot, rewards_);
        episodes_.record(*storage_, slot, rewards_);
    }
}

// The first of those that led to the others.
Status Collector::fault_of(std::span<const tn_fault> faults) const {
    using enum DeviceRing::Source;
    const auto at = [&](DeviceRing::Source source) -> const tn_fault& {
        return faults[static_cast<std::size_t>(source)];
    };
    if (at(kActing).status != TN_OK) {
        return plugin_problem("an index is out of bounds in the program 'act'");
    }
    if (at(kEnv).status != TN_OK) {
        return plugin_problem(lanes_.name() + ": " + lanes_.on_device()->text_of(at(kEnv)));
    }
    if (at(kKeeping).status != TN_OK) {
        return plugin_problem("a step on " + ring_->device()->name + " left a number that is not finite in " +
                              ring_->place_of(at(kKeeping)));
    }
    if (at(kSampling).status == TN_INVALID_ARGUMENT) {
        return plugin_problem(learns_ + " gives the buffer a priority that is not a finite number of at least 0",
                              learns_at_);
    }
    if (at(kSampling).status != TN_OK) {
        return plugin_problem(sampling_fault("a kernel of the buffer", at(kSampling)));
    }
    return at(kTaking).status == TN_OK
               ? Status()
               : plugin_problem("a kernel of the buffer chose a row that does not exist, as row " +
                                std::to_string(at(kTaking).where) + " of a minibatch");
}

Status Collector::rewind() {
    assert(uncounted_ == 0);
    Status rewound = ring_ != nullptr ? ring_->rewind() : Status();
    experience().rewind();
    return rewound;
}

}  // namespace tenon
