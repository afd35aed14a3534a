// SPDX-License-Identifier: Apache-2.0
#include "fork.hpp"

#include <cmath>

#include "play.hpp"
#include "support/policy_rig.hpp"

namespace fork_test {

using namespace tenon::test;

namespace {

constexpr auto kFork = tenon::env<Fork>("Fork-v0", "walk past a wall");
constexpr auto kGuide = tenon::policy<ForkGuide>("fork_guide", "walks past a wall");

auto with_length(std::int64_t length) {
    return [length](OptionValues<Fork>& options) { options["length"].integer = length; };
}

Told walk(EnvRig& rig, std::uint32_t slot, float sideways, float up) {
    rig.columns.at<float>("action", slot, 0, 0) = sideways;
    rig.columns.at<float>("action", slot, 0, 1) = up;
    REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    INFO(rig.host.error);
    REQUIRE(rig.lane_status[0] == TN_OK);
    return {rig.columns.at<float>("reward", slot, 0), rig.columns.at<bool>("terminated", slot, 0),
            rig.columns.at<bool>("truncated", slot, 0)};
}

}  // namespace

TEST_CASE("all three ways lead past the wall, and pay at its end") {
    for (const auto& [sideways, up] : {std::pair(-1.0F, 0.0F), {1.0F, 0.0F}, {0.0F, 1.0F}, {0.7F, -0.3F}}) {
        EnvRig rig(kFork, 1, 5, with_length(3));
        rig.reset({1});
        for (std::uint32_t slot = 0; slot < 3; ++slot) {
            const Told told = slot == 0 ? walk(rig, slot, sideways, up) : walk(rig, slot, 0, 0);
            CHECK(told.reward == (slot == 2 ? 1 : 0));
            CHECK(told.terminated == (slot == 2));
        }
        CHECK(rig.columns.at<float>("next.observation", 2, 0, 0) == 1);
        CHECK(rig.columns.at<float>("next.observation", 2, 0, 1) == sideways);
        CHECK(rig.columns.at<float>("next.observation", 2, 0, 2) == up);
    }
}

TEST_CASE("the mean and the median of the ways are the wall, and so is half of a way") {
    for (const auto& [sideways, up] :
         {std::pair(0.0F, 0.2F), {0.0F, 0.0F}, {0.5F, 0.0F}, {-0.59F, 0.0F}, {0.0F, 0.59F}, {1.0F, 1.0F}}) {
        EnvRig rig(kFork, 1, 3);
        rig.reset({1});
        const Told told = walk(rig, 0, sideways, up);
        CHECK(told.terminated);
        CHECK(told.reward == 0);
    }
}

TEST_CASE("whoever leaves the way that the first step chose has lost, on another way as well") {
    EnvRig rig(kFork, 1, 6);
    rig.reset({1});
    CHECK(!walk(rig, 0, 1, 0).terminated);
    CHECK(!walk(rig, 1, -0.3F, 0.3F).terminated);
    CHECK(walk(rig, 2, -0.2F, 0).terminated);
    CHECK(!walk(rig, 3, 1, 0).terminated);  // of the next episode
    CHECK(walk(rig, 4, -1, 1).terminated);  // the way over the wall, where it would have been right to begin
}

TEST_CASE("the guide walks each way as often as it should, with noise around it") {
    constexpr std::uint32_t kLanes = 4000;
    PolicyRig rig(kGuide,
                  {tenon::bounded("observation", {3}, {0, -2, -2}, {1, 2, 2}), tenon::bounded("action", {2}, -1, 1)},
                  kLanes, 1);
    std::array<int, 3> ways{};
    double squares = 0;
    REQUIRE(rig.act(0, 0, kLanes) == TN_OK);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const float sideways = rig.columns.at<float>("action", 0, lane, 0),
                    up = rig.columns.at<float>("action", 0, lane, 1);
        const std::size_t way = up > 0.5F ? 2 : sideways < 0 ? 0 : 1;
        ++ways.at(way);
        const double off =
            way == 2 ? static_cast<double>(sideways) : static_cast<double>(up);  // the rest is at its bound
        squares += off * off;
    }
    CHECK(std::abs(ways[0] - 1600) < 4.5 * std::sqrt(960));
    CHECK(std::abs(ways[1] - 1600) < 4.5 * std::sqrt(960));
    CHECK(std::abs(ways[2] - 800) < 4.5 * std::sqrt(640));
    CHECK(
        (squares > 0.001 * kLanes && squares < 0.02 * kLanes));  // the host of tests has other numbers than normal ones
}

TEST_CASE("the guide keeps to its way") {
    PolicyRig rig(kGuide,
                  {tenon::bounded("observation", {3}, {0, -2, -2}, {1, 2, 2}), tenon::bounded("action", {2}, -1, 1)}, 1,
                  1);
    REQUIRE(rig.act(0, 0, 1) == TN_OK);
    const float first = rig.columns.at<float>("action", 0, 0, 0);
    for (std::uint64_t counter = 1; counter < 20; ++counter) {
        REQUIRE(rig.act(0, 0, 1, counter) == TN_OK);  // it still sees that it stands at the beginning
        CHECK(std::abs(rig.columns.at<float>("action", 0, 0, 0) - first) < 0.9F);
    }
}

TEST_CASE("the fork resumes from saved state") {
    EnvRig whole(kFork, 1, 5, with_length(3)), resumed(kFork, 1, 5, with_length(3));
    whole.reset({1});
    walk(whole, 0, 0, 1);
    walk(whole, 1, 0.3F, 0.1F);
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    for (EnvRig* rig : {&whole, &resumed}) {
        const Told told = walk(*rig, 2, -0.2F, -0.2F);
        CHECK(told.terminated);
        CHECK(told.reward == 1);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(resumed.columns.at<float>("next.observation", 2, 0, i) ==
              whole.columns.at<float>("next.observation", 2, 0, i));
    }
}

}  // namespace fork_test
