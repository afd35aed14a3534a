// SPDX-License-Identifier: Apache-2.0
#include "guess.hpp"

#include "play.hpp"

namespace guess_test {

using namespace tenon::test;

namespace {

constexpr auto kGuess = tenon::env<Guess>("Guess-v0", "a code");

// Answers every place with `digit`, but those that the prompt marks as right with what was right.
Told answer(EnvRig& rig, std::uint32_t slot, std::int64_t digit) {
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t seen = rig.columns.at<std::int64_t>("prompt", slot, 0, i);
        rig.columns.at<std::int64_t>("action", slot, 0, i) = seen >= 3 && seen < 6 ? seen - 3 : digit;
    }
    REQUIRE(rig.step(slot, slot + 1, 0, 1) == TN_OK);
    REQUIRE(rig.lane_status[0] == TN_OK);
    return {rig.columns.at<float>("reward", slot, 0), rig.columns.at<bool>("terminated", slot, 0),
            rig.columns.at<bool>("truncated", slot, 0)};
}

}  // namespace

TEST_CASE("a prompt has the places of the answer before, and which of them were right") {
    EnvRig rig(kGuess, 1, 40);
    rig.reset({7});
    double rewards = 0;
    for (std::uint32_t episode = 0; episode < 16; ++episode) {
        const std::uint32_t slot = 2 * episode;
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(rig.columns.at<std::int64_t>("prompt", slot, 0, i) == 6);
        }
        const Told first = answer(rig, slot, 1);
        CHECK_FALSE(first.terminated);
        double marked = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::int64_t seen = rig.columns.at<std::int64_t>("prompt", slot + 1, 0, i);
            CHECK((seen == 1 || seen == 4));
            marked += seen == 4 ? 1 : 0;
        }
        CHECK(first.reward == marked / 4);
        const Told second = answer(rig, slot + 1, 2);
        CHECK(second.terminated);
        CHECK(second.reward >= first.reward);
        rewards += first.reward + second.reward;
    }
    CHECK(rewards / 16 > 0.8);  // 1 on average; 0.67 for who does not read the marks
}

TEST_CASE("a conversation resumes from saved state") {
    EnvRig whole(kGuess, 1, 8), resumed(kGuess, 1, 8);
    whole.reset({9});
    answer(whole, 0, 0);
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    for (std::size_t i = 0; i < 4; ++i) {
        resumed.columns.at<std::int64_t>("prompt", 1, 0, i) = whole.columns.at<std::int64_t>("prompt", 1, 0, i);
    }
    for (std::uint32_t slot = 1; slot < 6; ++slot) {
        const Told one = answer(whole, slot, 2), other = answer(resumed, slot, 2);
        CHECK(one.reward == other.reward);
        CHECK(one.terminated == other.terminated);
    }
}

}  // namespace guess_test
