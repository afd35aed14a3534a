// SPDX-License-Identifier: Apache-2.0
#include "balance.hpp"

#include <fstream>
#include <sstream>

#include "play.hpp"

namespace balance_test {

using namespace tenon::test;

namespace {

constexpr auto kBalance = tenon::env<Balance>("Balance-v0", "agents carry a package on a line");

// The peer computes in float32.
constexpr double kClose = 2e-5;

double number(std::istream& line) {
    double out = 0;
    REQUIRE(line >> out);
    return out;
}

template <class Visit>
void each_of_state(Balance& env, Visit visit) {
    for (Balance::Body* body : {&env.bodies[0], &env.bodies[1], &env.bodies[2], &env.package, &env.line}) {
        for (Balance::Point* point : {&body->place, &body->speed}) {
            visit((*point)[0]);
            visit((*point)[1]);
        }
    }
    visit(env.angle);
    visit(env.spin);
}

}  // namespace

TEST_CASE("agents carry a package as those of vmas do, each step from its state") {
    std::ifstream file(TENON_GOLDEN_DIR "/balance.txt");
    REQUIRE(file);
    Balance env;
    int steps = 0, falls = 0;
    for (std::string text; std::getline(file, text);) {
        if (text.starts_with("#")) {
            continue;
        }
        INFO(text);
        std::istringstream line(text);
        if (text.starts_with("start")) {
            line.ignore(5);
            env.goal = {number(line), number(line)};
            each_of_state(env, [&](double& mine) { mine = number(line); });
            env.apart = std::hypot(env.package.place[0] - env.goal[0], env.package.place[1] - env.goal[1]);
            continue;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            env.bodies[i].force = {0.7 * number(line), 0.7 * number(line)};
        }
        const tenon::StepResult mine = env.move();
        CHECK(mine.reward == Catch::Approx(number(line)).margin(2e-3));
        CHECK(mine.terminated == (number(line) != 0));
        falls += mine.terminated ? 1 : 0;
        each_of_state(env, [&](double& one) {
            const double peer = number(line);
            CHECK(one == Catch::Approx(peer).margin(kClose));
            one = peer;
        });
        std::vector<float> seen(static_cast<std::size_t>(Balance::kSeen * 3));
        env.see(seen);
        for (std::size_t i = 0; i < static_cast<std::size_t>(Balance::kSeen); ++i) {
            CHECK(seen[i] == Catch::Approx(number(line)).margin(kClose));
        }
        ++steps;
    }
    CHECK(steps > 100);
    CHECK(falls == 1);
}

TEST_CASE("who always arrives in balance gets 145.2 on average") {
    const PluginHost host;
    tenon::Rng rng(host.table(), {7, 7});
    EnvRig rig(kBalance, 1, 2);
    double total = 0;
    constexpr int kEpisodes = 20'000;
    for (int i = 0; i < kEpisodes; ++i) {
        rig.reset({static_cast<std::uint64_t>(i)});
        const double x = rig.columns.at<float>("state", 0, 0, 8), y = rig.columns.at<float>("state", 0, 0, 9);
        total += 100 * (std::hypot(x, y) - 0.1);
    }
    CHECK(total / kEpisodes == Catch::Approx(145.2).margin(1));
}

TEST_CASE("three agents with all their force lift a package by less than 0.45 in the 100 steps of an episode") {
    Balance env;
    env.goal = {0, 1};
    env.line.place = {0, -0.94};
    env.package.place = {0, -0.89};
    for (std::size_t i = 0; i < 3; ++i) {
        env.bodies[i].place = {(static_cast<double>(i) / 2 - 0.5) * 0.77, -1};
    }
    for (int step = 0; step < 100; ++step) {
        for (std::size_t i = 0; i < 3; ++i) {
            env.bodies[i].force = {0, 0.7};
        }
        REQUIRE_FALSE(env.move().terminated);
    }
    CHECK(env.package.place[1] + 0.89 < 0.45);
    CHECK(env.package.place[1] + 0.89 > 0.4);
}

TEST_CASE("pushing up lifts the line, and doing nothing lets it rest on agents that rest on the floor") {
    EnvRig rig(kBalance, 1, 120, [](auto& options) { options["moves"].text = tenon::to_str("discrete"); });
    rig.reset({2});
    const auto at = [&](std::uint32_t slot, std::size_t i) { return rig.columns.at<float>("state", slot, 0, i); };
    const auto steps = [&](std::uint32_t first, std::uint32_t count, std::int64_t action) {
        for (std::uint32_t slot = first; slot < first + count; ++slot) {
            for (std::size_t agent = 0; agent < 3; ++agent) {
                rig.columns.at<std::int64_t>("agents.action", slot, 0, agent) = action;
            }
            REQUIRE(rig.step(slot, slot + 1) == TN_OK);
            REQUIRE(rig.lane_status[0] == TN_OK);
            REQUIRE_FALSE(rig.columns.at<bool>("terminated", slot, 0));
        }
    };
    const auto height = [&](std::uint32_t slot) { return at(slot, 1) - at(slot, 7); };  // of the line
    steps(0, 60, 0);
    CHECK(height(60) == Catch::Approx(height(50)).margin(0.005));
    steps(60, 10, 2);  // up
    CHECK(height(70) > height(60) + 0.03F);
}

TEST_CASE("a balance that was saved continues equally, and an episode has 100 steps at most") {
    EnvRig whole(kBalance, 1, 210), resumed(kBalance, 1, 210);
    whole.reset({1});
    const auto step = [&](EnvRig& rig, std::uint32_t slot) {
        for (std::size_t i = 0; i < 6; ++i) {
            const std::uint32_t bits = tn_philox({slot, i}, 9).word[0];
            rig.columns.at<float>("agents.action", slot, 0, i) = static_cast<float>(tn_uniform(bits, bits)) * 2 - 1;
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        REQUIRE(rig.lane_status[0] == TN_OK);
    };
    for (std::uint32_t slot = 0; slot < 30; ++slot) {
        step(whole, slot);
    }
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    std::uint32_t length = 30, longest = 0;
    for (std::uint32_t slot = 30; slot + 1 < 210; ++slot) {
        step(whole, slot);
        step(resumed, slot);
        REQUIRE(seen(resumed, slot + 1, 0) == seen(whole, slot + 1, 0));
        const bool over = whole.columns.at<bool>("terminated", slot, 0) || whole.columns.at<bool>("truncated", slot, 0);
        longest = std::max(longest, ++length);
        length = over ? 0 : length;
    }
    CHECK(longest <= 100);
}

}  // namespace balance_test
