// SPDX-License-Identifier: Apache-2.0
#include "gridworld.hpp"

#include <cmath>

#include "play.hpp"

namespace gridworld_test {

using namespace tenon::test;

namespace {

constexpr auto kGridWorld = tenon::env<GridWorld>("GridWorld-v0", "walk to a goal");

// Options with another map, which the caller owns.
struct Map {
    std::vector<std::string> rows;
    std::vector<tn_str> texts = {};
    bool masked = true;

    void operator()(OptionValues<GridWorld>& options) {
        texts.clear();
        for (const std::string& row : rows) {
            texts.push_back(tenon::to_str(row));
        }
        options["map"].texts = texts.data();
        options["map"].count = texts.size();
        options["mask"].integer = masked ? 1 : 0;
    }
};

std::size_t place(EnvRig& rig, std::uint32_t slot, std::size_t cells, const std::string& key = "observation",
                  std::uint32_t lane = 0) {
    std::size_t found = cells;
    for (std::size_t i = 0; i < cells; ++i) {
        const float value = rig.columns.at<float>(key, slot, lane, i);
        REQUIRE((value == 0 || (value == 1 && found == cells)));
        found = value == 1 ? i : found;
    }
    REQUIRE(found < cells);
    return found;
}

// The walls of the default map by hand: row, column and the open directions, in the order up, right, down, left.
struct Cell {
    std::size_t row, column;
    std::array<bool, 4> open;
};
constexpr std::array<Cell, 9> kWay = {{{0, 0, {false, true, true, false}},
                                       {0, 1, {false, true, false, true}},
                                       {0, 2, {false, false, true, true}},
                                       {1, 2, {true, true, true, false}},
                                       {2, 2, {true, false, true, true}},
                                       {3, 2, {true, true, true, true}},
                                       {3, 3, {false, true, false, true}},
                                       {3, 4, {true, false, true, true}},
                                       {4, 4, {true, false, false, false}}}};
constexpr std::array<std::int64_t, 8> kActions = {1, 1, 2, 2, 2, 1, 1, 2};

}  // namespace

TEST_CASE("the shortest way gives the optimal return, and each mask on it is the map's") {
    EnvRig rig(kGridWorld, 1, 9);
    CHECK(GridMap({"S..#.", ".#...", "...#X", "#X...", "...#G"}).distance_to_goal(0) == 8);
    rig.reset({5});
    double total = 0;
    for (std::uint32_t slot = 0; slot < kActions.size(); ++slot) {
        CHECK(place(rig, slot, 25) == kWay.at(slot).row * 5 + kWay.at(slot).column);
        for (std::size_t action = 0; action < 4; ++action) {
            CHECK(rig.columns.at<bool>("action_mask", slot, 0, action) == kWay.at(slot).open.at(action));
        }
        const Told told = play(rig, slot, kActions.at(slot));
        CHECK(told.terminated == (slot == 7));
        total += told.reward;
    }
    CHECK(total == Catch::Approx(0.93).epsilon(1e-6));
    CHECK(place(rig, 7, 25, "next.observation") == 24);
    CHECK(rig.columns.at<bool>("next.action_mask", 7, 0, 0));
    CHECK(!rig.columns.at<bool>("next.action_mask", 7, 0, 1));
    CHECK(place(rig, 8, 25) == 0);
}

TEST_CASE("a pit ends the episode and costs") {
    EnvRig rig(kGridWorld, 1, 8);
    rig.reset({5});
    const std::array<std::int64_t, 7> actions = {2, 2, 1, 2, 0, 0, 0};  // the pit of the fourth row
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        CHECK(static_cast<float>(play(rig, slot, actions.at(slot)).reward) == -0.01F);
    }
    const Told told = play(rig, 3, actions[3]);
    CHECK(told.reward == -1);
    CHECK(told.terminated);
    CHECK(place(rig, 4, 25) == 0);
}

TEST_CASE("a masked action is refused; without the mask it is a step on the spot") {
    Map map{{"S.G"}};
    EnvRig masked(kGridWorld, 1, 2, std::ref(map));
    masked.reset({1});
    masked.columns.at<std::int64_t>("action", 0, 0) = 3;
    REQUIRE(masked.step(0, 1) == TN_OK);
    CHECK(masked.lane_status[0] == TN_INVALID_ARGUMENT);
    CHECK(masked.host.error == "action 3 leads into a wall, which the action_mask forbids");

    map.masked = false;
    EnvRig open(kGridWorld, 1, 2, std::ref(map));
    CHECK(open.describe().spec_count == 3);  // observation, action, reward
    open.reset({1});
    CHECK(static_cast<float>(play(open, 0, 3).reward) == -0.01F);
    CHECK(place(open, 1, 3) == 0);
}

TEST_CASE("walking about ends at the limit and keeps what was seen last") {
    EnvRig rig(kGridWorld, 1, 7, [](OptionValues<GridWorld>& options) { options["max_episode_steps"].integer = 5; });
    CHECK(rig.describe().episode_limit == 5);
    rig.reset({5});
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        const Told told = play(rig, slot, slot % 2 == 0 ? 1 : 3);
        CHECK(told.truncated == (slot == 4));
        CHECK(!told.terminated);
    }
    CHECK(place(rig, 4, 25, "next.observation") == 1);
    CHECK(place(rig, 5, 25) == 0);
}

TEST_CASE("episodes begin evenly on the starts, or on any floor") {
    constexpr std::uint32_t kLanes = 6000;
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    for (const auto& [rows, starts] :
         {std::pair{std::vector<std::string>{"S.S", "#GS"}, std::vector<std::size_t>{0, 2, 5}},
          {{"...", "#GX"}, {0, 1, 2}}}) {
        Map map{rows};
        EnvRig rig(kGridWorld, kLanes, 1, std::ref(map));
        rig.reset(seeds);
        std::array<int, 6> times{};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            ++times.at(place(rig, 0, 6, "observation", lane));
        }
        for (const std::size_t start : starts) {
            CHECK(std::abs(times.at(start) - kLanes / 3.0) < 4.5 * std::sqrt(kLanes / 3.0));
            times.at(start) = 0;
        }
        CHECK(times == std::array<int, 6>{});
    }
}

TEST_CASE("maps that cannot be walked are refused") {
    const auto said = [](std::vector<std::string> rows) {
        Map map{std::move(rows)};
        return refusal(kGridWorld, std::ref(map));
    };
    CHECK(said({"S..", ".G"}) == "the rows of map must have the same length: '.G'");
    CHECK(said({"S.g"}) == "map has the letter 'g'; known letters are S G X # and .");
    CHECK(said({"##", "#G"}) == "map has no place to start from: no S and no floor");
    CHECK(said({}) == "map has no place to start from: no S and no floor");
    CHECK(said({"S.#G", "..#."}) == "map has no way from row 1, column 1 to a goal");
    CHECK(said({"SXG"}) == "map has no way from row 1, column 1 to a goal");
    CHECK(said({".G", "##", ".#"}) == "map has no way from row 3, column 1 to a goal");
}

TEST_CASE("the gridworld resumes from saved state") {
    check_resumes(kGridWorld, 4, true,
                  [](OptionValues<GridWorld>& options) { options["max_episode_steps"].integer = 15; });
}

}  // namespace gridworld_test
