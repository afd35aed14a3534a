// SPDX-License-Identifier: Apache-2.0
// Rounds whose frames another thread collects while the units learn (collector.kind = "async"), or takes from worker
// processes (collector.kind = "processes"), in one part or in several (collector.max_lag).
#include <algorithm>
#include <utility>

#include "train/loop/trainer.hpp"

namespace tenon {

// The units learn from the frames before this round, whatever of its own frames is there already: so the result does
// not depend on which thread is faster, nor on where the round was left.
Status Trainer::async_round() {
    Storage& storage = source_->storage();
    const std::int64_t coming = steps_of_round(wiring_.manifest) - round_.steps;
    storage.show_before(static_cast<std::uint32_t>(round_.steps), static_cast<std::uint32_t>(coming));
    Result<bool> made = true;
    bool complete = false;
    while (!complete) {
        if (!round_.part.begun) {
            begin_part();
        }
        made = async_part();
        if (!made || !*made) {
            break;
        }
        round_.part = {};
        complete = round_.steps == steps_of_round(wiring_.manifest) && round_.unit == units_.size();
        if (!complete) {
            hand_over();
        }
    }
    std::ranges::for_each(units_, &LearningUnit::drop_prepared);
    storage.show_all();
    if (!complete) {
        return made ? Status() : Status(std::move(made).error());
    }
    standing_.steps += round_.steps;
    standing_.frames += round_.frames;
    move_schedules();
    const std::int64_t steps = round_.steps;
    round_ = {};
    return after_collecting(steps);
}

// The steps of the round are shared out as its updates are.
void Trainer::begin_part() {
    std::int64_t left = 0;
    for (std::size_t i = round_.unit; i < units_.size(); ++i) {
        left += units_[i].updates_left();
    }
    const std::int64_t most = wiring_.manifest.collector->max_lag.value_or(std::max<std::int64_t>(left, 1));
    const std::int64_t parts = std::max<std::int64_t>(left / most + (left % most == 0 ? 0 : 1), 1);
    round_.part = {.begun = true,
                   .steps = round_.steps + (steps_of_round(wiring_.manifest) - round_.steps) / parts,
                   .updates = parts == 1 ? kAllUpdates : standing_.updates + most};
}

// False: it was asked to stop before the end of the part.
Result<bool> Trainer::async_part() {
    AsyncSteps::Made made{.steps = round_.steps, .frames = round_.frames};
    async_->begin(standing_, made, round_.part.steps, stop_);
    Result<bool> learnt = learn(round_.part.updates);
    Status collected;
    {
        const Timed timed(profile_, waiting_);
        collected = async_->wait(made);
    }
    round_.steps = made.steps;
    round_.frames = made.frames;
    versions_.behind = std::max(versions_.behind, standing_.updates - versions_.acting());
    take_lane_warnings();
    if (!collected) {
        collected.error().sentence += at_frame(standing_);
        return std::move(collected).error();
    }
    if (!learnt) {
        return learnt;
    }
    return (*learnt || standing_.updates >= round_.part.updates) && round_.steps >= round_.part.steps;
}

}  // namespace tenon
