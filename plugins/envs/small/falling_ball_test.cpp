// SPDX-License-Identifier: Apache-2.0
#include "falling_ball.hpp"

#include <map>

#include "play.hpp"

namespace falling_ball_test {

using namespace tenon::test;

namespace {

constexpr auto kCatch = tenon::env<FallingBall>("Catch-v0", "catch a ball");

// The column of the only lit pixel in a row of the image; -1 if there is none.
std::int64_t lit(EnvRig& rig, const std::string& key, std::uint32_t slot, std::uint32_t lane, std::size_t row) {
    std::int64_t found = -1;
    for (std::size_t column = 0; column < 10; ++column) {
        const std::uint8_t pixel = rig.columns.at<std::uint8_t>(key, slot, lane, 10 * row + column);
        REQUIRE((pixel == 0 || pixel == 255));
        if (pixel == 255) {
            REQUIRE(found == -1);
            found = static_cast<std::int64_t>(column);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("a ball falls a row a step, and 1 is for catching it, -1 for missing it") {
    EnvRig rig(kCatch, 1, 10);
    std::map<double, int> rewards;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        rig.reset({seed});
        const std::int64_t ball = lit(rig, "observation", 0, 0, 0);
        std::int64_t paddle = lit(rig, "observation", 0, 0, 9);
        REQUIRE(ball >= 0);
        CHECK(paddle == 5);
        const bool follows = seed % 2 == 0;
        for (std::uint32_t slot = 0; slot < 9; ++slot) {
            const std::int64_t way = follows ? (ball > paddle) - (ball < paddle) : (ball < 5 ? 1 : -1);
            const Told told = play(rig, slot, 1 + way);
            paddle = std::clamp<std::int64_t>(paddle + way, 0, 9);
            CHECK(told.terminated == (slot == 8));
            CHECK_FALSE(told.truncated);
            if (slot < 8) {
                CHECK(told.reward == 0);
                CHECK(lit(rig, "observation", slot + 1, 0, slot + 1) == ball);
                CHECK(lit(rig, "observation", slot + 1, 0, 9) == paddle);
            } else {
                CHECK(told.reward == (follows ? 1 : -1));
                ++rewards[told.reward];
                for (const std::int64_t column : {ball, paddle}) {
                    const auto pixel = static_cast<std::size_t>(90 + column);
                    CHECK(rig.columns.at<std::uint8_t>("next.observation", slot, 0, pixel) == 255);
                }
            }
        }
    }
    CHECK(rewards[1] == 20);
    CHECK(rewards[-1] == 20);
}

TEST_CASE("balls fall in every column equally often") {
    constexpr std::uint32_t kLanes = 5000;
    EnvRig rig(kCatch, kLanes, 1);
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    std::map<std::int64_t, int> columns;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        ++columns[lit(rig, "observation", 0, lane, 0)];
    }
    CHECK(columns.size() == 10);
    for (const auto& [column, times] : columns) {
        CHECK(std::abs(times - 500) < 4.5 * std::sqrt(450));
    }
}

TEST_CASE("catch resumes from saved state") {
    check_resumes(kCatch, 3, false);
}

}  // namespace falling_ball_test
