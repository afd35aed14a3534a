// SPDX-License-Identifier: Apache-2.0
// Rounds whose lanes step as they are ready (collector.kind = "pool").
#include <cstdint>
#include <span>

#include "train/loop/trainer.hpp"

namespace tenon {

// The lanes that are ready at the end begin their next step, so that they make it while the units learn.
Status Trainer::collect_as_ready() {
    const std::int64_t before = standing_.frames - round_.frames;
    while (round_.frames < wiring_.manifest.train.batch) {
        if (stop_()) {
            return {};
        }
        TENON_TRY(collect());
        round_.frames = standing_.frames - before;
        ++round_.steps;
        same_parameters_ = true;
    }
    round_.collected = true;
    return {};
}

// Lanes that have made their steps wait for the others.
Status Trainer::collect_extent_as_ready() {
    if (round_.steps == 0) {
        extent_->begin();
        collector_->begin_batch();
    }
    for (; !collector_->batch_is_complete(); ++round_.steps) {
        if (stop_()) {
            return {};
        }
        TENON_TRY(collect());
        same_parameters_ = true;
    }
    collector_->experience().align();
    while (!extent_->complete()) {
        extent_->record(collector_->experience());
    }
    round_.collected = true;
    return {};
}

// Frames are counted when a step has ended. The lanes that are then ready begin their next one.
Status Trainer::step_ready() {
    const Result<std::uint32_t> stepped = collector_->await_ready(stop_);
    take_lane_warnings();
    if (!stepped) {
        return stepped.error();
    }
    standing_.frames += *stepped;
    move_schedules();
    const std::span<const std::uint32_t> ready = collector_->ready();
    if (ready.empty()) {
        return {};
    }
    for (const std::uint32_t lane : version_ != nullptr ? ready : ready.first(0)) {
        *static_cast<std::int64_t*>(row_at(version_->view, collector_->storage().head(), lane)) =
            acting_version(standing_);
    }
    const RunNumbers numbers = acting_numbers(standing_, same_parameters_);
    const auto counter = static_cast<std::uint64_t>(standing_.steps++);
    return collector_->act_ready(numbers, counter, acts_randomly(standing_));
}

}  // namespace tenon
