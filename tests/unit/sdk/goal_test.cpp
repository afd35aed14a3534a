// SPDX-License-Identifier: Apache-2.0
// Envs that judge steps by other goals: what they announce, and what a call of judge writes.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace goal_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::EnvRig;

namespace {

// The part of an env that does not matter here.
struct Line {
    static tenon::EnvSpec spec() {
        return {
            .observations = {tenon::unbounded("at", {2}), tenon::unbounded("to", {2}), tenon::unbounded("wide", {3})},
            .actions = {tenon::categorical("action", 4)},
            .reward = tenon::unbounded("reward", {}, TN_F64)};
    }
    void reset(const tenon::EnvRow&) {}
    tenon::StepResult step(const tenon::EnvRow&) { return {}; }
};

// The reward is ten times the action, plus the distance along the first axis.
struct Judging : Line {
    static tenon::GoalSpec goals() { return {.achieved = "at", .desired = "to", .reads = {"action"}}; }
    static tenon::StepResult judge(const tenon::GoalRow& row) {
        const auto distance = row.achieved<float>()[0] - row.desired<float>()[0];
        return {.reward = distance + 10.0 * static_cast<double>(row.column<std::int64_t>(0)[0]),
                .terminated = row.achieved<float>()[1] == row.desired<float>()[1]};
    }
};
struct Together : Line {
    static tenon::GoalSpec goals() { return {.achieved = "at", .desired = "to"}; }
    void judge(const tenon::GoalRows& rows) const {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            rows.result(row, {.reward = static_cast<double>(rows.size()), .terminated = rows.wanted(row)});
        }
    }
};
struct Narrow : Line {
    static tenon::GoalSpec goals() { return {.achieved = "at", .desired = "to"}; }
    static tenon::StepResult judge(const tenon::GoalRow& row) { return {.reward = row.achieved<double>()[0]}; }
};
struct Unlike : Line {
    static tenon::GoalSpec goals() { return {.achieved = "at", .desired = "wide"}; }
    static tenon::StepResult judge(const tenon::GoalRow&) { return {}; }
};
struct Usual : Line {
    static tenon::StepResult judge(const tenon::GoalRow&) { return {}; }
};

constexpr auto kJudging = tenon::env<Judging>("Judging-v0", "");

struct Call {
    std::array<float, 6> achieved = {1, 2, 3, 4, 5, 6};
    std::array<float, 6> desired = {0, 2, 0, 0, 5, 6};
    std::array<std::int64_t, 3> actions = {1, 2, 3};
    std::array<std::uint8_t, 3> wanted = {1, 0, 1};
    std::array<double, 3> reward = {-7, -7, -7};
    std::array<std::uint8_t, 3> terminated = {9, 9, 9};

    tn_status run(EnvRig& rig) {
        const auto* const goals = rig.instance.api<tn_goal_api>("tenon.goal/1");
        tn_goal_info info{
            .struct_size = sizeof info, .column_count = 0, .achieved = {}, .desired = {}, .columns = nullptr};
        REQUIRE(goals->describe(rig.instance.self(), &info) == TN_OK);
        const std::array<const void*, 1> columns = {actions.data()};
        const tn_goal_call call = {.struct_size = sizeof call,
                                   .flags = 0,
                                   .rows = 3,
                                   .achieved = achieved.data(),
                                   .desired = desired.data(),
                                   .columns = columns.data(),
                                   .wanted = wanted.data(),
                                   .reward = reward.data(),
                                   .terminated = terminated.data()};
        return goals->judge(rig.instance.self(), &call);
    }
};

}  // namespace

TEST_CASE("an env says which columns its goals are, and judges the rows that are wanted") {
    EnvRig rig(kJudging, 1, 2);
    const auto* const goals = rig.instance.api<tn_goal_api>("tenon.goal/1");
    REQUIRE(goals != nullptr);
    tn_goal_info info{.struct_size = sizeof info, .column_count = 0, .achieved = {}, .desired = {}, .columns = nullptr};
    REQUIRE(goals->describe(rig.instance.self(), &info) == TN_OK);
    CHECK(tenon::to_view(info.achieved) == "at");
    CHECK(tenon::to_view(info.desired) == "to");
    REQUIRE(info.column_count == 1);
    CHECK(tenon::to_view(info.columns[0]) == "action");
    Call call;
    REQUIRE(call.run(rig) == TN_OK);
    CHECK(call.reward == std::array<double, 3>{11, -7, 30});
    CHECK(call.terminated == std::array<std::uint8_t, 3>{1, 9, 1});
}

TEST_CASE("an env may judge all rows of a call together") {
    constexpr auto kTogether = tenon::env<Together>("Together-v0", "");
    EnvRig rig(kTogether, 1, 2);
    Call call;
    REQUIRE(call.run(rig) == TN_OK);
    CHECK(call.reward == std::array<double, 3>{3, 3, 3});
    CHECK(call.terminated == std::array<std::uint8_t, 3>{1, 0, 1});
}

TEST_CASE("an env that does not judge offers no goals") {
    constexpr auto kLine = tenon::env<Line>("Line-v0", "");
    EnvRig rig(kLine, 1, 2);
    CHECK(rig.instance.api<tn_goal_api>("tenon.goal/1") == nullptr);
}

TEST_CASE("mistakes with goals are told where they are made") {
    constexpr auto kNarrow = tenon::env<Narrow>("Narrow-v0", "");
    EnvRig narrow(kNarrow, 1, 2);
    CHECK(Call().run(narrow) == TN_INVALID_ARGUMENT);
    CHECK_THAT(narrow.host.error, ContainsSubstring("judge reads 'at' as float64, but it is float32"));
    const auto refused = [](EnvRig& rig) {
        tn_goal_info info{
            .struct_size = sizeof info, .column_count = 0, .achieved = {}, .desired = {}, .columns = nullptr};
        CHECK(rig.instance.api<tn_goal_api>("tenon.goal/1")->describe(rig.instance.self(), &info) == TN_INTERNAL);
        return rig.host.error;
    };
    constexpr auto kUnlike = tenon::env<Unlike>("Unlike-v0", "");
    EnvRig unlike(kUnlike, 1, 2);
    CHECK_THAT(refused(unlike), ContainsSubstring("'at' and 'wide' must have the same type and shape"));
    constexpr auto kUsual = tenon::env<Usual>("Usual-v0", "");
    EnvRig usual(kUsual, 1, 2);
    CHECK_THAT(refused(usual), ContainsSubstring("judge is to read 'achieved_goal', but spec() has no such column"));
}

}  // namespace goal_test
