// SPDX-License-Identifier: Apache-2.0
#include "engines/source_device/device_source.hpp"

#include <cassert>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "engines/source_device/hosted_sampler.hpp"

namespace tenon {

Result<std::unique_ptr<FrameSource>> DeviceSource::make(const Wiring& wiring, Lanes lanes, Storage storage) {
    std::unique_ptr<DeviceSource> out(new DeviceSource(TENON_TRY(make_site(std::move(lanes), std::move(storage))),
                                                       static_cast<std::uint32_t>(steps_of_round(wiring.manifest))));
    if (!wiring.objectives.empty()) {
        out->learns_ = wiring.objectives.front().unit.component;
        out->learns_at_ = wiring.objectives.front().unit.place;
    }
    return std::unique_ptr<FrameSource>(std::move(out));
}

Result<Actor> DeviceSource::make_actor(const ActingOptions& options, Executor& executor, Learner& learner) {
    DeviceLanes lanes = site_.lanes.on_device()->columns_on_device();
    lanes.reward = site_.lanes.summed();
    const std::shared_ptr<Device>& device = executor.device();
    Result<std::unique_ptr<DeviceRing>> made =
        device->engine->make_ring(*site_.storage, device, std::move(lanes), steps_);
    if (!made) {
        Problem problem = std::move(made).error();
        problem.sentence = "the columns of " + site_.lanes.name() + ": " + problem.sentence;
        return problem;
    }
    ring_ = std::move(*made);
    rewards_.resize(lane_count());
    return Actor::make_on_device(*options.program, options.seed, executor, learner, *ring_, options.share);
}

Status DeviceSource::reset(const std::uint64_t* seeds) {
    site_.episodes.drop(nullptr);
    TENON_TRY(fetch_to_host());
    changed_on_host();
    return site_.lanes.reset(nullptr, seeds);
}

Status DeviceSource::act_on_device(const Acting& now) {
    const Timed timed(site_.profile, site_.acting);
    if (!now.randomly) {
        return site_.actor->act_on_device(lane_count(), now.numbers, now.counter);
    }
    site_.random->act(*site_.storage, now.counter);
    for (const Spec& spec : site_.lanes.specs().specs) {
        if (spec.role == Role::kAction) {
            TENON_TRY(ring_->send_present(spec.key));
        }
    }
    return {};
}

Result<std::uint32_t> DeviceSource::step(const Acting& now) {
    if (ring_->is_full()) {
        TENON_TRY(settle());
    }
    count_episodes();
    TENON_TRY(ring_->take_newest());
    TENON_TRY(act_on_device(now));
    const Timed timed(site_.profile, site_.stepping);
    TENON_TRY(site_.lanes.enqueue_step(*ring_));
    return site_.lanes.running();
}

Status DeviceSource::settle() {
    count_episodes();
    const Timed timed(site_.profile, site_.stepping);
    const DeviceRing::Looked looked = TENON_TRY(ring_->look());
    TENON_TRY(fault_of(looked.faults));
    uncounted_ = looked.steps;
    return {};
}

void DeviceSource::count_episodes() {
    if (uncounted_ == 0) {
        return;
    }
    const Timed timed(site_.profile, site_.stepping);
    const std::uint32_t steps = std::exchange(uncounted_, 0);
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t slot = site_.storage->slot_back(steps - step);
        ring_->show(step, slot, rewards_);
        site_.episodes.record(*site_.storage, slot, rewards_);
    }
}

// The first of those that led to the others.
Status DeviceSource::fault_of(std::span<const tn_fault> faults) const {
    using enum DeviceRing::Source;
    const auto at = [&](DeviceRing::Source source) -> const tn_fault& {
        return faults[static_cast<std::size_t>(source)];
    };
    if (at(kActing).status != TN_OK) {
        return plugin_problem("an index is out of bounds in the program 'act'");
    }
    if (at(kEnv).status != TN_OK) {
        return plugin_problem(site_.lanes.name() + ": " + site_.lanes.on_device()->text_of(at(kEnv)));
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

Status DeviceSource::rewind() {
    assert(uncounted_ == 0);
    TENON_TRY(ring_->rewind());
    return FrameSource::rewind();
}

}  // namespace tenon
