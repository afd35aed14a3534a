// SPDX-License-Identifier: Apache-2.0
#include "twostep.hpp"

#include "play.hpp"

namespace twostep_test {

using namespace tenon::test;

namespace {

constexpr auto kTwoStep = tenon::env<TwoStep>("TwoStep-v0", "the two-step game");

double play_both(EnvRig& rig, std::uint32_t slot, std::int64_t first, std::int64_t second) {
    rig.columns.at<std::int64_t>("agents.action", slot, 0, 0) = first;
    rig.columns.at<std::int64_t>("agents.action", slot, 0, 1) = second;
    REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    REQUIRE(rig.lane_status[0] == TN_OK);
    return rig.columns.at<float>("reward", slot, 0);
}

}  // namespace

TEST_CASE("the first agent chooses the matrix, and both choose the reward in it") {
    // table 1 of the paper
    const double payoffs[2][2][2] = {{{7, 7}, {7, 7}}, {{0, 1}, {1, 8}}};
    EnvRig rig(kTwoStep, 1, 40);
    rig.reset({1});
    std::uint32_t slot = 0;
    for (const std::int64_t matrix : {0, 1}) {
        for (const std::int64_t first : {0, 1}) {
            for (const std::int64_t second : {0, 1}) {
                CHECK(play_both(rig, slot, matrix, second) == 0);
                CHECK_FALSE(rig.columns.at<bool>("terminated", slot, 0));
                ++slot;
                CHECK(rig.columns.at<float>("state", slot, 0, static_cast<std::size_t>(1 + matrix)) == 1);
                CHECK(play_both(rig, slot, first, second) == payoffs[matrix][first][second]);
                CHECK(rig.columns.at<bool>("terminated", slot, 0));
                ++slot;
            }
        }
    }
}

TEST_CASE("each agent sees the state and which agent it is") {
    EnvRig rig(kTwoStep, 1, 4);
    rig.reset({1});
    const std::array<float, 10> expected = {1, 0, 0, 1, 0, 1, 0, 0, 0, 1};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(rig.columns.at<float>("agents.observation", 0, 0, i) == expected[i]);
    }
    play_both(rig, 0, 1, 0);
    CHECK(rig.columns.at<float>("agents.observation", 1, 0, 2) == 1);
    CHECK(rig.columns.at<float>("agents.observation", 1, 0, 7) == 1);
}

}  // namespace twostep_test
