// SPDX-License-Identifier: Apache-2.0
#include "frame_skip.hpp"

#include <algorithm>
#include <array>

#include "counting.hpp"
#include "max_frame_skip.hpp"
#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "support/wrapper_rig.hpp"

namespace frame_skip_test {

using tenon::test::EnvRig;
using tenon::test::WrapperRig;

namespace {

constexpr auto kSkip = tenon::wrapper<FrameSkip>("frame_skip", "repeats");
constexpr auto kMax = tenon::wrapper<MaxFrameSkip>("max_frame_skip", "repeats");
constexpr std::uint32_t kLanes = 3;
constexpr std::array<std::uint64_t, kLanes> kSeeds = {4, 8, 15};

}  // namespace

// The wrapper against the same env stepped by hand, lane by lane.
TEST_CASE("frame_skip equals stepping the env in a loop") {
    constexpr std::int64_t kSteps = 4;
    WrapperRig rig(kSkip, kCounting, kLanes, 2);
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    EnvRig alone(kCounting, kLanes, 2);
    alone.reset({kSeeds.begin(), kSeeds.end()});
    int ended = 0;
    for (std::uint32_t t = 0; t < 30; ++t) {
        const std::uint32_t slot = t % 2;
        const std::uint32_t next = 1 - slot;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::int64_t action = (t + lane) % 3;
            rig.columns.at<std::int64_t>("action", slot, lane) = action;
            alone.columns.at<std::int64_t>("action", slot, lane) = action;
        }
        REQUIRE(rig.step(slot) == TN_OK);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            CAPTURE(t, lane);
            double total = 0;
            bool is_done = false;
            for (std::int64_t k = 0; k < kSteps && !is_done; ++k) {
                REQUIRE(alone.step(slot, next, lane, 1) == TN_OK);
                total += alone.columns.at<float>("reward", slot, lane);
                is_done = alone.columns.at<bool>("terminated", slot, lane);
            }
            ended += is_done ? 1 : 0;
            CHECK(rig.columns.at<float>("reward", slot, lane) == static_cast<float>(total));
            CHECK(rig.columns.at<bool>("terminated", slot, lane) == is_done);
            CHECK_FALSE(rig.columns.at<bool>("truncated", slot, lane));
            CHECK(rig.columns.at<std::int64_t>("action", slot, lane) == (t + lane) % 3);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(rig.columns.at<float>("observation", next, lane, i) ==
                      alone.columns.at<float>("observation", next, lane, i));
                if (is_done) {
                    CHECK(rig.columns.at<float>("next.observation", slot, lane, i) ==
                          alone.columns.at<float>("next.observation", slot, lane, i));
                }
            }
        }
    }
    CHECK(ended > 10);
    CHECK(rig.columns.canaries_intact());
}

namespace {

// Two agents without a reward of both: the first one gets 1, 2, 3, ... The other one leaves with the second step of
// each four, which ends its life, and is back with the last; while it is absent, `left` stands in its rows.
struct Leaving {
    double left = 0;
    int steps = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::of_group("agents", 2, tenon::unbounded("observation", {1})),
                                 tenon::of_group("agents", 2, tenon::binary("present", {}))},
                .actions = {tenon::of_group("agents", 2, tenon::categorical("action", 2))},
                .reward = tenon::no_reward(),
                .rewards = {tenon::of_group("agents", 2, tenon::unbounded("reward"))},
                .ends = {tenon::of_group("agents", 2, tenon::binary("terminated", {}))}};
    }
    void reset(const tenon::EnvRow& row) {
        steps = 0;
        show(row);
    }
    tenon::StepResult step(const tenon::EnvRow& row) {
        const bool absent = steps % 4 >= 2;
        ++steps;
        row.reward<float>()[0] = static_cast<float>(steps);
        row.reward<float>()[1] = absent ? static_cast<float>(left) : 10.0F;
        row.end()[0] = false;
        row.end()[1] = absent ? left > 0 : steps % 8 == 2;
        show(row);
        return {};
    }
    void show(const tenon::EnvRow& row) const {
        row.observation<bool>(1)[0] = true;
        row.observation<bool>(1)[1] = steps % 4 < 2;
        std::ranges::fill(row.observation<float>(0), 0.0F);
    }
    void state(tenon::Archive& archive) { archive(steps); }
};
template <int kLeft>
struct LeavingBehind : Leaving {
    LeavingBehind() { left = kLeft; }
};
template <int kLeft>
constexpr auto kLeaving = tenon::env<LeavingBehind<kLeft>>("Leaving", "an agent comes and goes");

}  // namespace

TEST_CASE("rewards and ends of agents are added up until they leave") {
    const auto check = [](auto env) {
        WrapperRig rig(kSkip, env, 1, 2);
        rig.bind();
        rig.reset(0, nullptr, kSeeds.data());
        for (std::uint32_t t = 0; t < 4; ++t) {
            REQUIRE(rig.step(t % 2) == TN_OK);
            const auto first = static_cast<float>(16 * t + 10);  // 1 + 2 + 3 + 4, then 5 + 6 + 7 + 8
            CHECK(rig.columns.at<float>("agents.reward", t % 2, 0, 0) == first);
            CHECK(rig.columns.at<float>("agents.reward", t % 2, 0, 1) == 20);
            CHECK_FALSE(rig.columns.at<bool>("agents.terminated", t % 2, 0, 0));
            CHECK(rig.columns.at<bool>("agents.terminated", t % 2, 0, 1) == (t % 2 == 0));
        }
        CHECK(rig.columns.canaries_intact());
    };
    check(kLeaving<0>);
    check(kLeaving<1000>);
}

TEST_CASE("max_frame_skip takes the maximum of the last two observations") {
    WrapperRig rig(kMax, kCounting, 1, 2, [](auto& options) { options["steps"].integer = 3; });
    rig.bind();
    const std::uint64_t seed = 4;
    rig.reset(0, nullptr, &seed);
    float before = 0;
    for (std::uint32_t t = 0; t < 12; ++t) {
        const std::uint32_t slot = t % 2;
        rig.columns.at<std::int64_t>("action", slot, 0) = 0;
        REQUIRE(rig.step(slot) == TN_OK);
        const bool is_done = rig.columns.at<bool>("terminated", slot, 0);
        const char* const key = is_done ? "next.observation" : "observation";
        const std::uint32_t at = is_done ? slot : 1 - slot;
        const float steps = rig.columns.at<float>(key, at, 0, 0);
        CHECK(rig.columns.at<float>("reward", slot, 0) == steps - before);
        // -steps of the step before is the larger one, unless the episode ended with the first step.
        CHECK(rig.columns.at<float>(key, at, 0, 2) == (steps - before > 1 ? 1 - steps : -steps));
        before = is_done ? 0 : steps;
    }
}

}  // namespace frame_skip_test
