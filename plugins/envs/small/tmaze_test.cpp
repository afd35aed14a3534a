// SPDX-License-Identifier: Apache-2.0
#include "tmaze.hpp"

#include <cmath>

#include "play.hpp"

namespace tmaze_test {

using namespace tenon::test;

namespace {

constexpr auto kTMaze = tenon::env<TMaze>("TMaze-v0", "remember a sign");

auto with_length(std::int64_t length) {
    return [length](OptionValues<TMaze>& options) { options["length"].integer = length; };
}

std::string at(EnvRig& rig, std::uint32_t slot, std::uint32_t lane = 0) {
    std::string out;
    for (std::size_t i = 0; i < 3; ++i) {
        out += rig.columns.at<float>("observation", slot, lane, i) == 1 ? '1' : '0';
    }
    return out;
}

}  // namespace

TEST_CASE("the sign says which turn pays, and only the sign") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (const bool obeys : {true, false}) {
            EnvRig rig(kTMaze, 1, 6, with_length(4));
            rig.reset({seed});
            const bool north = at(rig, 0) == "011";
            REQUIRE((north || at(rig, 0) == "110"));
            for (std::uint32_t slot = 0; slot < 4; ++slot) {
                CHECK(play(rig, slot, TMaze::kEast).reward == 0);
                CHECK(at(rig, slot + 1) == (slot < 3 ? "101" : "010"));
            }
            const Told told = play(rig, 4, north == obeys ? TMaze::kNorth : TMaze::kSouth);
            CHECK(static_cast<float>(told.reward) == (obeys ? 4.0F : -0.1F));
            CHECK(told.terminated);
        }
    }
}

TEST_CASE("walls cost and do not move, and west leads back") {
    EnvRig rig(kTMaze, 1, 12, with_length(2));
    rig.reset({3});
    const std::string sign = at(rig, 0);
    const std::array<std::int64_t, 10> actions = {TMaze::kWest,  TMaze::kNorth, TMaze::kSouth, TMaze::kEast,
                                                  TMaze::kNorth, TMaze::kSouth, TMaze::kEast,  TMaze::kEast,
                                                  TMaze::kWest,  TMaze::kWest};
    const std::array<std::string, 10> places = {sign, sign, sign, "101", "101", "101", "010", "010", "101", sign};
    for (std::uint32_t slot = 0; slot < actions.size(); ++slot) {
        const std::string before = at(rig, slot);
        const Told told = play(rig, slot, actions.at(slot));
        CHECK(at(rig, slot + 1) == places.at(slot));
        CHECK(static_cast<float>(told.reward) == (before == places.at(slot) ? -0.1F : 0.0F));
        CHECK(!told.terminated);
    }
}

TEST_CASE("both signs are equally likely, and standing still is truncated") {
    constexpr std::uint32_t kLanes = 4000;
    EnvRig rig(kTMaze, kLanes, 4, [](OptionValues<TMaze>& options) { options["max_episode_steps"].integer = 3; });
    CHECK(rig.describe().episode_limit == 3);
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    int north = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        north += at(rig, 0, lane) == "011" ? 1 : 0;
    }
    CHECK(std::abs(north - 2000) < 4.5 * std::sqrt(1000));
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        CHECK(play(rig, slot, TMaze::kWest).truncated == (slot == 2));
    }
}

TEST_CASE("the T-maze resumes from saved state") {
    check_resumes(kTMaze, 4, false, with_length(3));
}

}  // namespace tmaze_test
