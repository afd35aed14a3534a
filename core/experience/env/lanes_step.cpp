// SPDX-License-Identifier: Apache-2.0
// Reset and step of all lanes.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "base/data/flags.hpp"
#include "experience/env/lanes_state.hpp"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

tn_transform_call transform_call(std::int32_t event, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                                 std::uint32_t count, const std::uint8_t* mask, const std::uint64_t* seeds = nullptr) {
    return {.struct_size = sizeof(tn_transform_call),
            .event = event,
            .slot = slot,
            .next_slot = next,
            .first = first,
            .count = count,
            .mask = mask,
            .seeds = seeds};
}

}  // namespace

Status Lanes::reset(const std::uint8_t* mask, const std::uint64_t* seeds) {
    State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(name() + " was reset before it was bound to a storage");
    }
    TENON_TRY(state.options.tell(state.env));
    const auto parked = state.storage->parked();
    for (std::uint32_t lane = 0; lane < state.lanes; ++lane) {
        state.done[lane] = (mask == nullptr || mask[lane] != 0) && parked[lane] == 0 ? 1 : 0;
    }
    const std::uint32_t slot = state.storage->head();
    TENON_TRY(state.begin_episodes(slot, seeds));
    std::fill(state.lost.begin(), state.lost.end(), std::uint8_t{0});
    TENON_TRY(state.begin_lost(slot));
    for (std::uint32_t lane = 0; lane < state.lanes; ++lane) {
        if (state.faults.status[lane] == 0 || parked[lane] != 0) {
            continue;
        }
        state.frozen.zero(lane, slot);
    }
    state.park_new_lanes();
    TENON_TRY(state.all_parked());
    return state.masks.all(state.env.outermost(), slot, std::nullopt);
}

// Begins episodes in the lanes whose byte in `done` is 1, through the transforms.
Status Lanes::State::begin_episodes(std::uint32_t slot, const std::uint64_t* seeds) {
    storage->begin_episodes(done.data());
    TENON_TRY(reset_env(slot, done, seeds));
    const tn_transform_call call = transform_call(TN_TRANSFORM_RESET, slot, slot, 0, lanes, done.data(), seeds);
    return reset_transforms(call, done);
}

// A wrapper may step the env before the first observation that the policy sees, and such a step may end an episode as
// well.
Status Lanes::State::begin_in_env(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    constexpr int kMostTries = 1000;
    std::vector<std::uint8_t> again;
    for (int tries = 0; tries < kMostTries; ++tries) {
        const tn_status reset = env.call("reset", env.outermost().api->reset, slot, mask, seeds);
        if (reset != TN_OK) {
            return env.outcome(reset, "reset");
        }
        if (!any_set(needs_reset)) {
            return {};
        }
        again.assign(needs_reset.begin(), needs_reset.end());
        std::fill(needs_reset.begin(), needs_reset.end(), std::uint8_t{0});
        mask = again.data();
        seeds = nullptr;
    }
    return env.outermost().problem("reset: " + std::to_string(kMostTries) +
                                   " episodes in a row end before their first observation");
}

// Resets the lanes of the mask.
Status Lanes::State::reset_env(std::uint32_t slot, std::vector<std::uint8_t>& mask, const std::uint64_t* seeds) {
    const auto begin = [&] {
        const TimedPart timed(profile, Work::kEnv, 1);
        return begin_in_env(slot, mask.data(), seeds);
    };
    TENON_TRY(begin());
    faults.note(env, *storage, 0, lanes);
    drop_error();
    note_lost();
    finite.reset(faults, 0, slot, mask);
    return {};
}

Status Lanes::step() {
    struct Job {
        State* state;
        std::uint32_t slot;
        std::uint32_t next;
    };
    State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(name() + " was stepped before it was bound to a storage");
    }
    TENON_TRY(state.options.tell(state.env));
    Job job{.state = &state, .slot = state.storage->head(), .next = state.storage->slot_after(state.storage->head())};
    const auto body = [](void* arg, std::uint64_t first, std::uint64_t count) {
        const Job& of = *static_cast<const Job*>(arg);
        of.state->step_range(of.slot, of.next, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count));
    };
    // Worker processes handle one request at a time. So all lanes are one call, in which the workers step
    // simultaneously.
    const bool together = state.apart || state.info.all_lanes;
    const unsigned threads = state.pool->threads();
    const std::uint32_t grain = together ? state.lanes : state.grain.lanes();
    state.sharing = std::min<unsigned>(threads, (state.lanes + grain - 1) / grain);
    const bool learns = threads > 1 && !together && state.grain.is_learning();
    const auto begin = learns ? Clock::now() : Clock::time_point();
    state.pool->parallel_for(state.lanes, grain, body, &job);
    if (learns) {
        state.grain.learn(std::chrono::duration<double>(Clock::now() - begin).count(), state.lanes, threads);
    }
    TENON_TRY(state.failures.take());
    state.note_lost();
    TENON_TRY(state.repeat_lost(job.slot, job.next));
    TENON_TRY(state.reset_cut_lanes(job.slot, job.next));
    state.park_new_lanes();
    const auto parked = state.storage->parked();
    for (std::uint32_t lane = any_set(parked) ? 0 : state.lanes; lane < state.lanes; ++lane) {
        if (parked[lane] != 0) {
            state.frozen.repeat(lane, job.slot, job.next);
        }
    }
    state.storage->advance();
    TENON_TRY(state.all_parked());
    return state.masks.all(state.env.outermost(), job.next, job.slot);
}

Status Lanes::enqueue_step(DeviceRing& ring) {
    State& state = *state_;
    const tn_status enqueued = state.on_device->enqueue_step(ring.fault(DeviceRing::Source::kEnv));
    if (enqueued != TN_OK) {
        return state.env.outcome(enqueued, "step");
    }
    TENON_TRY(ring.keep());
    state.storage->advance();
    return {};
}

void Lanes::State::step_range(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
    const auto step_part = [&](std::uint32_t begin, std::uint32_t n) { return step_live(slot, next, begin, n); };
    Status status =
        info.all_lanes ? step_together(slot, next) : each_live_run(storage->parked().data(), first, count, step_part);
    if (!status) {
        failures.record(first, std::move(status.error()));
    }
}

Status Lanes::State::step_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
    if (transforms.empty()) {
        return step_env(slot, next, first, count);
    }
    if (Status status = invert_live(slot, next, first, count); !status || is_any_lost(first, count)) {
        return status;
    }
    TENON_TRY(step_env(slot, next, first, count));
    return finish_live(slot, next, first, count);
}

// For an env that takes all lanes in one call, parked ones too.
Status Lanes::State::step_together(std::uint32_t slot, std::uint32_t next) {
    const auto each = [&](auto part) {
        return each_live_run(storage->parked().data(), 0, lanes, [&](std::uint32_t first, std::uint32_t count) {
            return (this->*part)(slot, next, first, count);
        });
    };
    TENON_TRY(each(&State::invert_live));
    if (is_any_lost(0, lanes)) {
        std::ranges::replace(faults.status, std::uint8_t{0}, LostLanes::kStatus);  // no lane is stepped
        return {};
    }
    TENON_TRY(step_env(slot, next, 0, lanes));
    return each(&State::finish_live);
}

Status Lanes::State::invert_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
    const TimedPart timed(transforms.empty() ? nullptr : profile, Work::kTransforms, sharing);
    const tn_transform_call call = transform_call(TN_TRANSFORM_STEP, slot, next, first, count, nullptr);
    for (std::size_t i = transforms.size(); i-- > 0;) {
        if (transforms[i].api->invert == nullptr) {
            continue;
        }
        copy_actions(columns.actions[i], slot, first, count);
        TENON_TRY(transforms[i].call("invert", transforms[i].api->invert, &call));
        if (is_lost(transforms[i], first, count)) {
            return {};
        }
    }
    return {};
}

Status Lanes::State::step_env(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
    const tn_env_step step{.struct_size = sizeof step,
                           .slot = slot,
                           .next_slot = next,
                           .first = first,
                           .count = count,
                           .flags = step_flags};
    const auto call = [&] {
        const TimedPart timed(profile, Work::kEnv, sharing);
        return env.call("step", env.outermost().api->step, &step);
    };
    const tn_status stepped = call();
    if (stepped != TN_OK) {
        return env.outcome(stepped, "step");
    }
    faults.note(env, *storage, first, count);
    if (any_set(std::span(needs_reset).subspan(first, count))) {
        note_ends(first, count);
    }
    note_rewards(slot, first, count);
    drop_error();
    finite.step(faults, 0, slot, next, first, count);
    return {};
}

Status Lanes::State::finish_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t lane = first; lane < first + count && !transforms.empty(); ++lane) {
        const bool is_done = storage->flags().ended(slot, lane);
        done[lane] = is_done && cut[lane] == 0 ? 1 : 0;  // a cut lane's next episode begins after the step
    }
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        const auto transform = [&](std::uint32_t begin, std::uint32_t n) {
            return transform_live(i, slot, next, begin, n);
        };
        // Transforms must not see the rows of lanes that were given up in this step.
        TENON_TRY(each_live_run(faults.status.data(), first, count, transform));
        finite.step(faults, i + 1, slot, next, first, count);
    }
    return {};
}

// Notes episodes that have ended without a next one.
void Lanes::State::note_ends(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        cut[lane] = needs_reset[lane] != 0 && faults.status[lane] == 0 ? 1 : 0;
        needs_reset[lane] = 0;
    }
}

Status Lanes::State::transform_live(std::size_t transform, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                                    std::uint32_t count) {
    const TimedPart timed(profile, Work::kTransforms, sharing);
    const Callee<tn_transform_api>& to = transforms[transform];
    const tn_transform_call step = transform_call(TN_TRANSFORM_STEP, slot, next, first, count, nullptr);
    if (Status status = to.call("apply", to.api->apply, &step); !status || is_lost(to, first, count)) {
        return status;
    }
    note_cuts(transform + 1, slot, next, first, count);
    if (!any_set(std::span(done).subspan(first, count))) {
        return {};
    }
    const tn_transform_call reset = transform_call(TN_TRANSFORM_RESET, slot, next, first, count, done.data());
    return to.call("apply", to.api->apply, &reset);
}

// If a transform has just ended an episode, its output is the final observation. Transforms further out read it from
// the final column.
void Lanes::State::note_cuts(std::size_t side, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                             std::uint32_t count) {
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        const bool is_done = storage->flags().ended(slot, lane);
        if (!is_done || (done[lane] | cut[lane]) != 0) {
            continue;
        }
        cut[lane] = 1;
        for (const FinalColumn& column : finals[side]) {
            std::memcpy(row_at(column.final, slot, lane), row_at(column.view, next, lane), column.row_bytes);
        }
    }
}

// The env does not know about episodes that transforms have ended, or has left the next ones to the host: it begins
// them now, with its generators in their present state.
Status Lanes::State::reset_cut_lanes(std::uint32_t slot, std::uint32_t next) {
    if (any_set(cut)) {
        for (std::uint32_t lane = 0; seen_end && lane < lanes; ++lane) {
            TENON_TRY(cut[lane] != 0 ? seen_end(lane) : Status());
        }
        TENON_TRY(reset_env(next, cut, nullptr));
        const tn_transform_call call = transform_call(TN_TRANSFORM_RESET, slot, next, 0, lanes, cut.data());
        Status status = reset_transforms(call, cut);
        std::fill(cut.begin(), cut.end(), std::uint8_t{0});
        return status;
    }
    return gather();
}

// `mask` has the lanes of the call.
Status Lanes::State::reset_transforms(const tn_transform_call& call, std::vector<std::uint8_t>& mask) {
    const TimedPart timed(transforms.empty() ? nullptr : profile, Work::kTransforms, 1);
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        TENON_TRY(transforms[i].call("apply", transforms[i].api->apply, &call));
        finite.reset(faults, i + 1, call.next_slot, mask);
    }
    return gather();
}

Status Lanes::State::gather() const {
    for (const Callee<tn_transform_api>& transform : transforms) {
        if (!learning || transform.common == nullptr) {
            continue;
        }
        TENON_TRY(transform.call("gather", transform.common->gather));
    }
    return {};
}

}  // namespace tenon
