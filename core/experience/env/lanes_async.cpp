// SPDX-License-Identifier: Apache-2.0
// Steps in two halves (tenon/abi/env_async.h): lanes are submitted, and their results are taken when they are ready.
#include <algorithm>
#include <string>

#include "experience/env/lanes_state.hpp"

namespace tenon {

Result<std::uint32_t> Lanes::answers_later() const {
    const EnvStack& env = state_->env;
    const auto not_with = [&](const std::string& what) {
        return input_problem(name() + " cannot answer later " + what, env.env().place);
    };
    if (env.env().async == nullptr) {
        return not_with("because it does not offer tenon.env.async/1: a step of it is over when the call returns");
    }
    tn_env_async_info info{.struct_size = sizeof info, .at_once = 0};
    const tn_status described =
        call_plugin(name(), "describe", env.env().place, env.env().async->describe, env.env().self, &info);
    const std::string why = take_error();
    return described == TN_OK ? Result(info.at_once)
                              : not_with(why.empty() ? "and does not say why" : "because " + why);
}

std::uint32_t Lanes::under_way() const {
    return static_cast<std::uint32_t>(std::ranges::count(state_->late.under_way, std::uint8_t{1}));
}

void LateSteps::resize(std::uint32_t lanes) {
    under_way.resize(lanes);
    reported.resize(lanes);
    not_called.resize(lanes);
}

void LateSteps::call_only(std::span<const std::uint32_t> called) {
    std::ranges::fill(not_called, std::uint8_t{1});
    for (const std::uint32_t lane : called) {
        not_called[lane] = 0;
    }
}

Status Lanes::submit(std::span<const std::uint32_t> lanes) {
    State& state = *state_;
    state.late.resize(state.lanes);
    TENON_TRY(state.options.tell(state.env));
    const std::uint32_t slot = state.storage->head();
    const std::uint32_t next = state.storage->slot_after(slot);
    state.late.call_only(lanes);
    Status inverted =
        each_live_run(state.late.not_called.data(), 0, state.lanes,
                      [&](std::uint32_t first, std::uint32_t n) { return state.invert_live(slot, next, first, n); });
    if (!inverted) {
        return inverted;
    }
    const tn_env_submit call{.struct_size = sizeof call,
                             .slot = slot,
                             .lanes = lanes.data(),
                             .count = static_cast<std::uint32_t>(lanes.size()),
                             .flags = state.step_flags};
    TENON_TRY(state.env.env().call("submit", state.env.env().async->submit, &call));
    for (const std::uint32_t lane : lanes) {
        state.late.under_way[lane] = 1;
    }
    return {};
}

Result<std::span<const std::uint32_t>> LateSteps::take(std::uint32_t count, const Callee<tn_env_api>& env) {
    const auto lie = [&](const std::string& what) { return env.problem("poll " + what); };
    if (count > reported.size()) {
        return lie("reports " + std::to_string(count) + " lanes of " + std::to_string(reported.size()));
    }
    const std::span<std::uint32_t> out = std::span(reported).first(count);
    for (const std::uint32_t lane : out) {
        if (lane >= under_way.size() || under_way[lane] == 0) {
            return lie("reports lane " + std::to_string(lane) + ", which is not under way");
        }
        under_way[lane] = 0;
    }
    std::ranges::sort(out);
    return std::span<const std::uint32_t>(out);
}

Status Lanes::poll(std::uint32_t least, std::uint32_t milliseconds, Arrived& arrived) {
    State& state = *state_;
    const std::uint32_t slot = state.storage->head();
    const std::uint32_t next = state.storage->slot_after(slot);
    arrived.stepped.clear();
    arrived.begun.clear();
    tn_env_poll call{.struct_size = sizeof call,
                     .slot = slot,
                     .next_slot = next,
                     .least = least,
                     .milliseconds = milliseconds,
                     .count = 0,
                     .lanes = state.late.reported.data()};
    const auto wait = [&] {
        const TimedPart timed(state.profile, Work::kEnv, 1);
        return state.env.call("poll", state.env.env().async->poll, &call);
    };
    if (const tn_status polled = wait(); polled != TN_OK) {
        return state.env.outcome(polled, "poll");
    }
    const std::span<const std::uint32_t> lanes = TENON_TRY(state.late.take(call.count, state.env.env()));
    state.late.call_only(lanes);
    TENON_TRY(state.finish_arrived(slot, next));
    for (const std::uint32_t lane : lanes) {
        if (state.storage->parked()[lane] != 0) {
            continue;
        }
        const bool is_lost = state.lost[lane] != 0;
        (is_lost ? arrived.begun : arrived.stepped).push_back(lane);
        TENON_TRY(state.masks.of(state.env.outermost(), lane, is_lost ? slot : next,
                                 is_lost ? std::nullopt : std::optional(slot)));
    }
    return state.all_parked();
}

// The rest of a step after the env, for the lanes of the present call. A lost lane begins a new episode in the slot
// where its step began, and does not repeat the step.
Status Lanes::State::finish_arrived(std::uint32_t slot, std::uint32_t next) {
    faults.note(env, *storage, 0, lanes);
    const auto finish = [&](std::uint32_t first, std::uint32_t count) {
        note_ends(first, count);
        note_rewards(slot, first, count);
        finite.step(faults, 0, slot, next, first, count);
        return finish_live(slot, next, first, count);
    };
    Status finished = each_live_run(late.not_called.data(), 0, lanes, finish);
    drop_error();
    if (!finished) {
        return finished;
    }
    note_lost();
    std::fill(lost.begin(), lost.end(), std::uint8_t{0});
    TENON_TRY(begin_lost(slot));
    TENON_TRY(reset_cut_lanes(slot, next));
    park_new_lanes();
    return {};
}

}  // namespace tenon
