// SPDX-License-Identifier: Apache-2.0
#include "bitflip.hpp"

#include <array>
#include <cmath>
#include <map>

#include "play.hpp"

namespace bitflip_test {

using namespace tenon::test;

namespace {

constexpr auto kBitFlip = tenon::env<BitFlip>("BitFlip-v0", "flip bits");

auto with_bits(std::int64_t bits) {
    return [bits](OptionValues<BitFlip>& options) { options["bits"].integer = bits; };
}

std::size_t number(EnvRig& rig, const std::string& key, std::uint32_t slot, std::uint32_t lane, std::size_t bits) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < bits; ++i) {
        const float bit = rig.columns.at<float>(key, slot, lane, i);
        REQUIRE((bit == 0 || bit == 1));
        out = 2 * out + (bit == 1 ? 1 : 0);
    }
    return out;
}

}  // namespace

TEST_CASE("judged by another goal, a step has reached it where all of its bits are equal") {
    EnvRig rig(kBitFlip, 1, 2, [](OptionValues<BitFlip>& options) {
        options["bits"].integer = 2;
        options["reached_reward"].real = 5;
    });
    const auto* const goals = rig.instance.api<tn_goal_api>("tenon.goal/1");
    tn_goal_info info{.struct_size = sizeof info, .column_count = 0, .achieved = {}, .desired = {}, .columns = nullptr};
    REQUIRE(goals->describe(rig.instance.self(), &info) == TN_OK);
    const std::array<float, 6> achieved = {0, 1, 1, 1, 1, 0};
    const std::array<float, 6> desired = {0, 1, 0, 1, 1, 1};
    const std::array<std::uint8_t, 3> wanted = {1, 1, 1};
    std::array<float, 3> reward{};
    std::array<std::uint8_t, 3> terminated{};
    const tn_goal_call call = {.struct_size = sizeof call,
                               .flags = 0,
                               .rows = 3,
                               .achieved = achieved.data(),
                               .desired = desired.data(),
                               .columns = nullptr,
                               .wanted = wanted.data(),
                               .reward = reward.data(),
                               .terminated = terminated.data()};
    REQUIRE(goals->judge(rig.instance.self(), &call) == TN_OK);
    CHECK(reward == std::array<float, 3>{5, -1, -1});
    CHECK(terminated == std::array<std::uint8_t, 3>{1, 0, 0});
}

TEST_CASE("flipping the bits that differ reaches the goal in as many steps, each but the last -1") {
    constexpr std::size_t kBits = 6;
    EnvRig rig(kBitFlip, 1, 8, with_bits(kBits));
    CHECK(rig.describe().episode_limit == 6);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        rig.reset({seed});
        std::vector<std::int64_t> differing;
        for (std::size_t i = 0; i < kBits; ++i) {
            if (rig.columns.at<float>("observation", 0, 0, i) != rig.columns.at<float>("desired_goal", 0, 0, i)) {
                differing.push_back(static_cast<std::int64_t>(i));
            }
        }
        REQUIRE(!differing.empty());
        const std::size_t goal = number(rig, "desired_goal", 0, 0, kBits);
        for (std::uint32_t slot = 0; slot < differing.size(); ++slot) {
            const bool last = slot + 1 == differing.size();
            const std::size_t before = number(rig, "observation", slot, 0, kBits);
            const Told told = play(rig, slot, differing[slot]);
            CHECK(told.reward == (last ? 0 : -1));
            CHECK(told.terminated == last);
            const std::string next = last ? "next." : "";
            const std::uint32_t at = last ? slot : slot + 1;
            const std::size_t flipped =
                before ^ (std::size_t{1} << (kBits - 1 - static_cast<std::size_t>(differing[slot])));
            CHECK(number(rig, next + "observation", at, 0, kBits) == flipped);
            CHECK(number(rig, next + "achieved_goal", at, 0, kBits) == flipped);
            CHECK(number(rig, next + "desired_goal", at, 0, kBits) == goal);
        }
    }
}

TEST_CASE("missing the goal is truncated after as many steps as there are bits") {
    EnvRig rig(kBitFlip, 1, 5, with_bits(4));
    for (std::uint64_t seed = 0;; ++seed) {  // one whose goal is not a single flip of the first bit away
        rig.reset({seed});
        if ((number(rig, "observation", 0, 0, 4) ^ number(rig, "desired_goal", 0, 0, 4)) != 8) {
            break;
        }
    }
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        const Told told = play(rig, slot, 0);
        CHECK(told.reward == -1);
        CHECK(!told.terminated);
        CHECK(told.truncated == (slot == 3));
    }
}

TEST_CASE("all pairs of different bits and goals are equally likely") {
    constexpr std::uint32_t kLanes = 12000;
    EnvRig rig(kBitFlip, kLanes, 1, with_bits(2));
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    std::map<std::pair<std::size_t, std::size_t>, int> pairs;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        ++pairs[{number(rig, "observation", 0, lane, 2), number(rig, "desired_goal", 0, lane, 2)}];
    }
    CHECK(pairs.size() == 12);
    for (const auto& [pair, times] : pairs) {
        CHECK(pair.first != pair.second);
        CHECK(std::abs(times - 1000) < 4.5 * std::sqrt(1000));
    }
}

TEST_CASE("bit-flip resumes from saved state") {
    check_resumes(kBitFlip, 5, false, with_bits(5));
}

}  // namespace bitflip_test
