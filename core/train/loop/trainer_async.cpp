// SPDX-License-Identifier: Apache-2.0
// Rounds whose frames another thread collects while the units learn (collector.kind = "async"), or takes from worker
// processes (collector.kind = "processes"), in one part or in several (collector.max_lag).
#include <algorithm>
#include <utility>

#include "train/loop/trainer.hpp"

namespace tenon {

// The units learn only from frames before this round, even if some frames of the round exist already. So the result
// depends neither on which thread is faster nor on where the round was interrupted.
Status Trainer::async_round() {
    Storage& storage = source_->storage();
    const std::int64_t coming = steps_of_round(wiring_.manifest) - progress_.round.steps;
    storage.ring().show_before(static_cast<std::uint32_t>(progress_.round.steps), static_cast<std::uint32_t>(coming));
    Result<bool> made = true;
    bool complete = false;
    while (!complete) {
        if (!progress_.round.part.begun) {
            begin_part();
        }
        made = async_part();
        if (!made || !*made) {
            break;
        }
        progress_.round.part = {};
        complete = progress_.round.steps == steps_of_round(wiring_.manifest) && progress_.round.unit == units_.size();
        if (!complete) {
            hand_over();
        }
    }
    std::ranges::for_each(units_, &LearningUnit::drop_prepared);
    storage.ring().show_all();
    if (!complete) {
        return made ? Status() : Status(std::move(made).error());
    }
    progress_.standing.steps += progress_.round.steps;
    progress_.standing.frames += progress_.round.frames;
    move_schedules();
    const std::int64_t steps = progress_.round.steps;
    progress_.round = {};
    return after_collecting(steps);
}

// The steps of the round are shared out as its updates are.
void Trainer::begin_part() {
    std::int64_t left = 0;
    for (std::size_t i = progress_.round.unit; i < units_.size(); ++i) {
        left += units_[i].updates_left();
    }
    const std::int64_t most = wiring_.manifest.collector->max_lag.value_or(std::max<std::int64_t>(left, 1));
    const std::int64_t parts = std::max<std::int64_t>(left / most + (left % most == 0 ? 0 : 1), 1);
    progress_.round.part = {
        .begun = true,
        .steps = progress_.round.steps + (steps_of_round(wiring_.manifest) - progress_.round.steps) / parts,
        .updates = parts == 1 ? kAllUpdates : progress_.standing.updates + most};
}

// False: it was asked to stop before the end of the part.
Result<bool> Trainer::async_part() {
    AsyncSteps::Made made{.steps = progress_.round.steps, .frames = progress_.round.frames};
    async_->begin(progress_.standing, made, progress_.round.part.steps, stop_);
    Result<bool> learnt = learn(progress_.round.part.updates);
    Status collected;
    {
        const Timed timed(profile_, waiting_);
        collected = async_->wait(made);
    }
    progress_.round.steps = made.steps;
    progress_.round.frames = made.frames;
    progress_.versions.behind =
        std::max(progress_.versions.behind, progress_.standing.updates - progress_.versions.acting());
    take_lane_warnings();
    if (!collected) {
        collected.error().sentence += at_frame(progress_.standing);
        return std::move(collected).error();
    }
    if (!learnt) {
        return learnt;
    }
    return (*learnt || progress_.standing.updates >= progress_.round.part.updates) &&
           progress_.round.steps >= progress_.round.part.steps;
}

}  // namespace tenon
