// SPDX-License-Identifier: Apache-2.0
#include "experience/env/goal_judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/data/key.hpp"
#include "plugins/plugin/abi_text.hpp"

namespace tenon {
namespace {

// In the order of GoalJudge::columns, before the env's own.
enum : std::size_t {
    kGoal,
    kTaken,
    kAchieved,
    kDesired,
    kNextDesired,
    kReward,
    kTerminated,
    kTruncated,
    kDone,
    kFixed
};

template <class Real>
bool rewards_finite(const std::byte* rewards, const std::byte* taken, std::size_t rows) {
    const auto* const values = reinterpret_cast<const Real*>(rewards);
    for (std::size_t row = 0; row < rows; ++row) {
        if (taken[row] != std::byte{0} && !std::isfinite(static_cast<double>(values[row]))) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<GoalInfo> describe_goals(const Callee<tn_goal_api>& env, const Composite& specs) {
    tn_goal_info said{};
    said.struct_size = sizeof said;
    TENON_TRY(env.call("describe", env.api->describe, &said));
    GoalInfo out{
        .achieved = text_of(said.achieved), .desired = text_of(said.desired), .columns = {}, .goal = {}, .reward = {}};
    const auto observed = [&](const std::string& key) -> const Spec* {
        const Spec* const spec = specs.find(key);
        return spec != nullptr && spec->role == Role::kObservation ? spec : nullptr;
    };
    for (const std::string& key : {out.achieved, out.desired}) {
        if (observed(key) == nullptr) {
            return env.problem("its goals name the column '" + key + "', which is not one of its observations");
        }
    }
    out.goal = *observed(out.desired);
    if (const Spec& other = *observed(out.achieved); other.dtype != out.goal.dtype || other.shape != out.goal.shape) {
        return env.problem("its columns '" + out.achieved + "' and '" + out.desired +
                           "' differ in type or shape, so that what is achieved cannot be a goal");
    }
    if (said.column_count > 0 && said.columns == nullptr) {
        return env.problem("its goals announce columns, but the array of them is null");
    }
    for (std::uint32_t i = 0; i < said.column_count; ++i) {
        std::string key = text_of(said.columns[i]);
        const Spec* const spec = specs.find(without_next(key));
        const bool next = is_next(key);
        const bool known = spec != nullptr && !is_outcome(spec->role) && (!next || spec->role == Role::kObservation);
        if (!known) {
            return env.problem("its goals depend on the column '" + key +
                               "', which must be one of its observations, with or without next., or an action");
        }
        out.columns.push_back(std::move(key));
    }
    const auto reward = std::ranges::find_if(specs.specs, [](const Spec& spec) {
        return spec.role == Role::kReward && spec.group.empty() && spec.shape.elements() == 1 && is_float(spec.dtype);
    });
    if (reward == specs.specs.end()) {
        return env.problem("it has goals, but no reward of one number that depends on them");
    }
    out.reward = *reward;
    return out;
}

GoalJudge::GoalJudge(Instance env, Callee<tn_goal_api> callee, GoalInfo info)
    : env_(std::move(env)),
      callee_(std::move(callee)),
      info_(std::move(info)),
      goal_bytes_(static_cast<std::size_t>(info_.goal.shape.elements()) * size_of(info_.goal.dtype)) {
    columns_ = {{kHindsightGoal},
                {kRelabelled},
                {next_key(info_.achieved)},
                {info_.desired},
                {next_key(info_.desired), false},
                {next_key(info_.reward.key)},
                {std::string(kNextTerminated)},
                {std::string(kNextTruncated)},
                {std::string(kNextDone), false}};
    for (const std::string& key : info_.columns) {
        columns_.push_back({key});
    }
}

Result<GoalJudge> GoalJudge::make(Instance env, const Composite& specs) {
    auto callee = Callee<tn_goal_api>::of(env, "tenon.goal/1");
    GoalInfo info = TENON_TRY(describe_goals(callee, specs));
    return GoalJudge(std::move(env), std::move(callee), std::move(info));
}

Status GoalJudge::apply(std::size_t rows) {
    const std::byte* const taken = memory_[kTaken];
    bool any = false;
    for (std::size_t row = 0; row < rows; ++row) {
        if (taken[row] == std::byte{0}) {
            continue;
        }
        any = true;
        for (const std::size_t column : {kDesired, kNextDesired}) {
            if (memory_[column] != nullptr) {
                std::memcpy(memory_[column] + row * goal_bytes_, memory_[kGoal] + row * goal_bytes_, goal_bytes_);
            }
        }
    }
    if (!any) {
        return {};
    }
    const tn_goal_call call = {.struct_size = sizeof call,
                               .flags = 0,
                               .rows = rows,
                               .achieved = memory_[kAchieved],
                               .desired = memory_[kDesired],
                               .columns = reinterpret_cast<const void* const*>(memory_.data() + kFixed),
                               .wanted = reinterpret_cast<const std::uint8_t*>(taken),
                               .reward = memory_[kReward],
                               .terminated = reinterpret_cast<std::uint8_t*>(memory_[kTerminated])};
    TENON_TRY(callee_.call("judge", callee_.api->judge, &call));
    if (memory_[kDone] != nullptr) {
        for (std::size_t row = 0; row < rows; ++row) {
            memory_[kDone][row] = memory_[kTerminated][row] | memory_[kTruncated][row];
        }
    }
    return check(rows);
}

Status GoalJudge::check(std::size_t rows) const {
    const bool finite = info_.reward.dtype == DType::kF64
                            ? rewards_finite<double>(memory_[kReward], memory_[kTaken], rows)
                            : rewards_finite<float>(memory_[kReward], memory_[kTaken], rows);
    if (!finite) {
        return callee_.problem("judge gives a row a reward that is not finite");
    }
    if (std::any_of(memory_[kTerminated], memory_[kTerminated] + rows,
                    [](std::byte end) { return end > std::byte{1}; })) {
        return callee_.problem("judge gives a row an end other than 0 and 1");
    }
    return {};
}

}  // namespace tenon
