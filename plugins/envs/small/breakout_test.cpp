// SPDX-License-Identifier: Apache-2.0
#include "breakout.hpp"

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "play.hpp"

namespace breakout_test {

using namespace tenon::test;

namespace {

constexpr auto kBreakout = tenon::env<Breakout>("Breakout-v0", "break bricks with a ball");
constexpr std::int64_t kStay = 0, kLeft = 1, kRight = 2;

auto sticky(double probability) {
    return [=](OptionValues<Breakout>& options) { options["sticky_actions"].real = probability; };
}

using Observation = std::array<bool, Breakout::kChannels * Breakout::kCells>;

Observation observation(EnvRig& rig, std::uint32_t slot, const char* key = "observation", std::uint32_t lane = 0) {
    Observation out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out.at(i) = rig.columns.at<bool>(key, slot, lane, i);
    }
    return out;
}

// The cells of a channel that are set, as 10 times the row plus the column.
std::vector<int> cells(EnvRig& rig, std::uint32_t slot, Breakout::Channel channel, const char* key = "observation") {
    const Observation all = observation(rig, slot, key);
    std::vector<int> out;
    for (std::size_t i = 0; i < Breakout::kCells; ++i) {
        if (all.at(channel * Breakout::kCells + i)) {
            out.push_back(static_cast<int>(i));
        }
    }
    return out;
}

// Begins an episode whose ball starts in this column.
void begin(EnvRig& rig, int column) {
    std::uint64_t seed = 0;
    do {
        rig.reset({seed++});
    } while (cells(rig, 0, Breakout::kBall).at(0) % 10 != column);
}

// What a line of the golden file says about the cells.
Observation expected(std::istream& line) {
    std::size_t paddle = 0, row = 0, column = 0, trail_row = 0, trail_column = 0, bricks = 0;
    line >> paddle >> row >> column >> trail_row >> trail_column >> std::hex >> bricks;
    REQUIRE(line);
    Observation out{};
    out.at(Breakout::kPaddle * 100 + 90 + paddle) = true;
    out.at(Breakout::kBall * 100 + 10 * row + column) = true;
    out.at(Breakout::kTrail * 100 + 10 * trail_row + trail_column) = true;
    for (std::size_t i = 0; i < 30; ++i) {
        out.at(Breakout::kBricks * 100 + 10 + i) = (bricks >> i & 1U) != 0;
    }
    return out;
}

}  // namespace

TEST_CASE("Breakout plays as MinAtar's does") {
    EnvRig rig(kBreakout, 1, 1300, sticky(0));
    std::ifstream file(TENON_GOLDEN_DIR "/breakout.txt");
    REQUIRE(file);
    std::uint32_t slot = 0;
    int games = 0, ends = 0, steps = 0;
    double rewards = 0;
    for (std::string text; std::getline(file, text);) {
        if (text.starts_with("#")) {
            continue;
        }
        std::istringstream line(text);
        INFO(text);
        std::string first;
        line >> first;
        if (first == "start") {
            int column = 0;
            line >> column;
            begin(rig, column);
            slot = 0;
            ++games;
            REQUIRE(observation(rig, 0) == expected(line));
            continue;
        }
        double reward = 0;
        bool terminated = false;
        line >> reward >> terminated;
        const Told told = play(rig, slot, std::stoi(first));
        CHECK(told.reward == reward);
        REQUIRE(told.terminated == terminated);
        REQUIRE(observation(rig, slot + (terminated ? 0 : 1), terminated ? "next.observation" : "observation") ==
                expected(line));
        ++slot;
        ++steps;
        ends += terminated ? 1 : 0;
        rewards += reward;
    }
    CHECK(games == 31);
    CHECK(ends == 29);
    CHECK(steps == 2056);
    CHECK(rewards == 130);
}

// The ball starts in row 3 and column 0 and comes down to the paddle's row in column 6.
TEST_CASE("the ball bounces on off a paddle below it, back off a paddle before it, and is lost otherwise") {
    for (const int paddle : {4, 5, 6, 7}) {
        EnvRig rig(kBreakout, 1, 8, sticky(0));
        begin(rig, 0);
        Told told{};
        for (std::uint32_t slot = 0; slot < 6; ++slot) {
            CHECK(cells(rig, slot, Breakout::kBall) == std::vector{30 + 11 * static_cast<int>(slot)});
            told = play(rig, slot, static_cast<int>(slot) < paddle - 4 ? kRight : kStay);
            CHECK(told.reward == 0);
        }
        const bool is_lost = paddle == 4 || paddle == 7;
        CHECK(told.terminated == is_lost);
        CHECK_FALSE(told.truncated);
        if (is_lost) {
            CHECK(cells(rig, 5, Breakout::kBall, "next.observation") == std::vector{96});
            CHECK(cells(rig, 5, Breakout::kTrail, "next.observation") == std::vector{85});
            CHECK(cells(rig, 5, Breakout::kPaddle, "next.observation") == std::vector{90 + paddle});
        } else {
            CHECK(cells(rig, 6, Breakout::kBall) == std::vector{86});
            play(rig, 6, kStay);
            CHECK(cells(rig, 7, Breakout::kBall) == std::vector{paddle == 5 ? 77 : 75});
        }
    }
}

TEST_CASE("a brick is worth 1 and turns the ball around") {
    EnvRig rig(kBreakout, 1, 13, sticky(0));
    begin(rig, 0);
    CHECK(cells(rig, 0, Breakout::kBricks).size() == 30);
    const std::array path = {30, 41, 52, 63, 74, 85, 86, 77, 68, 59, 49, 48, 57};
    for (std::uint32_t slot = 0; slot < 12; ++slot) {
        CHECK(cells(rig, slot, Breakout::kBall) == std::vector{path.at(slot)});
        CHECK(play(rig, slot, slot == 0 ? kRight : kStay).reward == (slot == 10 ? 1 : 0));
        CHECK(cells(rig, slot + 1, Breakout::kTrail) == std::vector{path.at(slot)});
    }
    CHECK(cells(rig, 12, Breakout::kBall) == std::vector{57});
    std::vector<int> wall(30);
    std::iota(wall.begin(), wall.end(), 10);
    std::erase(wall, 38);
    CHECK(cells(rig, 12, Breakout::kBricks) == wall);
}

TEST_CASE("the paddle stays on the board") {
    for (const std::int64_t action : {kLeft, kRight}) {
        EnvRig rig(kBreakout, 1, 7, sticky(0));
        rig.reset({1});
        for (std::uint32_t slot = 0; slot < 5; ++slot) {
            play(rig, slot, action);
            const int place = static_cast<int>(slot) + 1;
            CHECK(cells(rig, slot + 1, Breakout::kPaddle) ==
                  std::vector{90 + (action == kLeft ? std::max(0, 4 - place) : 4 + place)});
        }
    }
}

TEST_CASE("sticky actions repeat the previous action as often as they should, and episodes start on both sides") {
    constexpr std::uint32_t kLanes = 8000;
    EnvRig rig(kBreakout, kLanes, 3, sticky(0.3));
    std::vector<std::uint64_t> seeds(kLanes);
    std::iota(seeds.begin(), seeds.end(), 0);
    rig.reset(seeds);
    int lefts = 0, moved = 0, repeated = 0, after = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto paddle = [&](std::uint32_t slot) {
            const Observation all = observation(rig, slot, "observation", lane);
            return std::ranges::find(all.begin() + 90, all.begin() + 100, true) - (all.begin() + 90);
        };
        lefts += observation(rig, 0, "observation", lane).at(Breakout::kBall * 100 + 30) ? 1 : 0;
        play(rig, 0, kLeft, lane);
        play(rig, 1, kStay, lane);
        if (paddle(1) == 3) {
            ++moved;
            repeated += paddle(2) == 2 ? 1 : 0;
        } else {
            after += paddle(2) == 4 ? 1 : 0;
        }
    }
    CHECK(std::abs(lefts - 4000) < 4.5 * std::sqrt(2000));
    CHECK(std::abs(moved - 5600) < 4.5 * std::sqrt(8000 * 0.21));
    CHECK(std::abs(repeated - 0.3 * moved) < 4.5 * std::sqrt(moved * 0.21));
    CHECK(after == static_cast<int>(kLanes) - moved);
}

TEST_CASE("breakout resumes from saved state") {
    check_resumes(kBreakout, 3, false);
}

}  // namespace breakout_test
