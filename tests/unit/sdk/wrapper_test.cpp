// SPDX-License-Identifier: Apache-2.0
// What the SDK makes of an author's wrapper: columns that change, episodes that it ends, mistakes.
#include "tenon/wrapper.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"
#include "tenon/env.hpp"

namespace wrapper_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::WrapperRig;

namespace {

// Counts its steps; every fifth one ends an episode. Observes the steps of the episode.
struct Ticks {
    std::int64_t steps = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})},
                .actions = {tenon::categorical("action", 4)},
                .extras = {tenon::unbounded("left", {}, TN_F64)}};
    }
    void reset(const tenon::EnvRow& row) {
        steps = 0;
        show(row);
    }
    tenon::StepResult step(const tenon::EnvRow& row) {
        ++steps;
        show(row);
        return {.reward = static_cast<double>(row.action<std::int64_t>()[0]), .terminated = steps == 5};
    }
    void show(const tenon::EnvRow& row) const {
        row.observation<float>()[0] = static_cast<float>(steps);
        row.extra<double>()[0] = static_cast<double>(5 - steps);
    }
};
constexpr auto kTicks = tenon::env<Ticks>("Ticks-v0", "counts");

// Adds an observation "twice" and halves the number of actions: each stands for the action of twice its number.
struct Doubled {
    std::size_t twice = 0;  // the number of its observation, after those of the inner env

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        if (inner.actions.size() != 1 || inner.actions[0].kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("the env's action is not one choice");
        }
        twice = inner.observations.size();
        inner.observations.push_back(tenon::unbounded("twice", {2}, TN_F64));
        inner.actions = {tenon::categorical("action", inner.actions[0].categories[0] / 2)};
        return inner;
    }
    static void act(const tenon::WrapperRow& row) { row.inner_action<std::int64_t>()[0] = 2 * row.choice(); }
    void observe(const tenon::WrapperRow& row) const {
        row.observation<double>(twice)[0] = 2.0 * row.inner_observation<float>()[0];
        row.observation<double>(twice)[1] = row.begins() ? 1 : 0;
    }
};

// Ends an episode of the inner env after its third step, in the way that the action says, and takes 10 off the reward.
struct Ends {
    static void step(const tenon::WrapperRow& row) {
        const float steps = row.observation<float>()[0];
        if (steps == 3 && row.choice() == 1) {
            row.truncate();
            row.total() -= 10;
        } else if (steps == 3 && row.choice() == 2) {
            row.terminate();
        }
    }
};

struct Throws {
    static bool step(const tenon::WrapperRow& row) {
        if (row.choice() == 3) {
            throw std::runtime_error("three is not for me");
        }
        return row.steps() < 2;
    }
};

// What the compiler refuses in wrappers, hooks and samplers.
struct Unread {
    double chance = 0;
    static constexpr auto options = std::tuple{tenon::live("chance", 0.5, "[0,1]", "no member gets it")};
};
struct Read : Unread {
    static constexpr auto options =
        std::tuple{tenon::live<&Unread::chance>("chance", 0.5, "[0,1]", "a member gets it")};
};
static_assert(!tenon::live_options_have_members<Unread>());
static_assert(tenon::live_options_have_members<Read>());
static_assert(tenon::live_options_have_members<Ends>());

template <class T>
std::string mistake(tn_status expected) {
    WrapperRig rig(tenon::wrapper<T>("mistake", "is one"), kTicks, 1, 2);
    CHECK(rig.describe() == expected);
    return rig.host.error;
}

}  // namespace

TEST_CASE("columns that a wrapper adds are written where the inner ones are") {
    WrapperRig rig(tenon::wrapper<Doubled>("doubled", "doubles"), kTicks, 1, 2);
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    CHECK(rig.columns.at<double>("twice", 0, 0, 0) == 0);
    CHECK(rig.columns.at<double>("twice", 0, 0, 1) == 1);
    for (std::uint32_t t = 0; t < 5; ++t) {
        const std::uint32_t slot = t % 2;
        rig.columns.at<std::int64_t>("action", slot, 0) = 1;
        REQUIRE(rig.step(slot) == TN_OK);
        const bool is_last = t == 4;
        CHECK(rig.columns.at<bool>("terminated", slot, 0) == is_last);
        CHECK(rig.columns.at<std::int64_t>("action", slot, 0) == 1);
        CHECK(rig.columns.at<float>("reward", slot, 0) == 2);
        CHECK(rig.columns.at<double>("twice", 1 - slot, 0, 0) == (is_last ? 0 : 2.0 * (t + 1)));
        CHECK(rig.columns.at<double>("twice", 1 - slot, 0, 1) == (is_last ? 1 : 0));
        CHECK(rig.columns.at<double>("left", 1 - slot, 0) == (is_last ? 5.0 : 4.0 - t));
        if (is_last) {
            CHECK(rig.columns.at<double>("next.twice", slot, 0, 0) == 10);
            CHECK(rig.columns.at<double>("next.twice", slot, 0, 1) == 0);
            CHECK(rig.columns.at<float>("next.observation", slot, 0) == 5);
        }
    }
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("a wrapper may end an episode, and change the reward of a step") {
    WrapperRig rig(tenon::wrapper<Ends>("ends", "ends"), kTicks, 3, 8);
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            rig.columns.at<std::int64_t>("action", slot, lane) = lane;
        }
        REQUIRE(rig.step(slot) == TN_OK);
    }
    const std::array<bool, 3> truncated = {false, true, false};
    const std::array<bool, 3> terminated = {false, false, true};
    const std::array<float, 3> rewards = {0, -9, 2};
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        CAPTURE(lane);
        CHECK(rig.columns.at<bool>("truncated", 2, lane) == truncated[lane]);
        CHECK(rig.columns.at<bool>("terminated", 2, lane) == terminated[lane]);
        CHECK(rig.columns.at<float>("reward", 2, lane) == rewards[lane]);
        CHECK(rig.columns.at<float>("observation", 3, lane) == (lane == 0 ? 3 : 0));
        if (lane > 0) {
            CHECK(rig.columns.at<float>("next.observation", 2, lane) == 3);
        }
    }
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("an exception of a wrapper parks its lane alone") {
    WrapperRig rig(tenon::wrapper<Throws>("throws", "throws"), kTicks, 3, 2);
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        rig.columns.at<std::int64_t>("action", 0, lane) = lane == 1 ? 3 : 1;
    }
    REQUIRE(rig.step(0) == TN_OK);
    CHECK(rig.host.error == "three is not for me");
    CHECK(rig.lane_status[0] == TN_OK);
    CHECK(rig.lane_status[1] == TN_INTERNAL);
    CHECK(rig.columns.at<float>("observation", 1, 0) == 2);
    CHECK(rig.columns.at<float>("observation", 1, 2) == 2);
}

TEST_CASE("a wrapper that changes columns and does not fill them is refused at its line") {
    struct AddsAndIsSilent {
        static tenon::EnvSpec spec(tenon::EnvSpec inner) {
            inner.observations.push_back(tenon::unbounded("more"));
            return inner;
        }
    };
    struct TakesTheAction {
        static tenon::EnvSpec spec(tenon::EnvSpec inner) {
            inner.actions = {tenon::categorical("choice", 2)};
            return inner;
        }
    };
    struct CountsRewards {
        static tenon::EnvSpec spec(tenon::EnvSpec inner) {
            inner.reward.dtype = TN_I64;
            return inner;
        }
    };
    CHECK_THAT(
        mistake<AddsAndIsSilent>(TN_INTERNAL),
        ContainsSubstring("spec() adds or changes the observation 'more', so the wrapper needs a function observe") &&
            ContainsSubstring("wrapper_test.cpp:"));
    CHECK_THAT(mistake<TakesTheAction>(TN_INTERNAL),
               ContainsSubstring("spec() removes or changes the action 'action', so the wrapper needs a function act"));
    CHECK_THAT(mistake<CountsRewards>(TN_INVALID_ARGUMENT), ContainsSubstring("'reward' is not one float a step"));
}

TEST_CASE("a wrapper is refused by a host that is too old") {
    WrapperRig rig(tenon::wrapper<Throws>("throws", "throws"), kTicks, 1, 2);
    REQUIRE(rig.describe() == TN_OK);
    rig.columns.add(rig.info.specs, rig.info.spec_count);
    const tn_env_buffers old = {.struct_size = offsetof(tn_env_buffers, needs_reset),
                                .flags = 0,
                                .slots = 2,
                                .lanes = 1,
                                .columns = rig.columns.data(),
                                .column_count = rig.columns.size(),
                                .lane_status = rig.lane_status.data(),
                                .needs_reset = nullptr};
    CHECK(rig.api->bind(rig.wrapper.self(), &old) == TN_UNAVAILABLE);
    CHECK(rig.host.error == "the host is too old for wrappers");
}

}  // namespace wrapper_test
