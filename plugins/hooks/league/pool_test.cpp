// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace pool_test {

using Catch::Approx;
using tenon::test::HookRig;

namespace {

constexpr auto kPool = tenon::hook<Pool>("pool", "keeps copies");

auto every(std::int64_t frames) {
    return [=](auto& options) { options["every"].integer = frames; };
}

// A round of one step in which every lane ends a game against a copy.
void play(HookRig& rig, const std::vector<float>& copies, const std::vector<float>& rewards) {
    rig.collect(copies, std::vector<std::uint8_t>(copies.size(), 1), static_cast<std::uint32_t>(copies.size()), 0, 1,
                1);
    rig.collect_also(rewards);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
}

// Begins a run in which the learner's parameters are {1, 2}, with three members.
void begin(HookRig& rig) {
    rig.give_network({1, 2}, {0, 0});
    rig.give_written(3);
    REQUIRE(rig.call(TN_HOOK_STARTED) == TN_OK);
}

TEST_CASE("all members begin as the learner; member 0 follows it, and the others are kept in turn") {
    HookRig rig(kPool, every(100));
    begin(rig);
    CHECK(rig.written() == std::vector<float>{1, 2, 1, 2, 1, 2});
    rig.frames = 90;
    rig.learn({3, 4});
    play(rig, {0}, {0});
    CHECK(rig.written() == std::vector<float>{3, 4, 1, 2, 1, 2});
    rig.frames = 110;
    rig.learn({5, 6});
    play(rig, {0}, {0});
    CHECK(rig.written() == std::vector<float>{5, 6, 5, 6, 1, 2});
    CHECK(rig.reported[3] == 1);
    rig.frames = 210;
    rig.learn({7, 8});
    play(rig, {0}, {0});
    CHECK(rig.written() == std::vector<float>{7, 8, 5, 6, 7, 8});
    rig.frames = 320;
    rig.learn({9, 10});
    play(rig, {0}, {0});
    CHECK(rig.written() == std::vector<float>{9, 10, 9, 10, 7, 8});
    CHECK(rig.reported[3] == 2);
}

TEST_CASE("ratings change by what a game gives beyond what they expect, and their sum stays") {
    HookRig rig(kPool, every(1000));
    begin(rig);
    play(rig, {1, 2, 1}, {1, 0, -1});
    // A win between equals is worth half of the factor, 4. Then 1202 plays 1200, and what is left plays 1198.
    const double draw = 4 * (0.5 - 1 / (1 + std::pow(10.0, -2 / 400.0)));
    const double loss = -4 / (1 + std::pow(10.0, (1198 - (1202 + draw)) / 400.0));
    CHECK(rig.reported[0] == Approx(1202 + draw + loss).margin(1e-9));
    CHECK(rig.reported[1] == Approx(1200 - draw).margin(1e-9));
    CHECK(rig.reported[2] == 0.5);
}

TEST_CASE("a restored pool continues with its ratings") {
    HookRig rig(kPool, every(1000));
    begin(rig);
    play(rig, {1, 1, 2}, {1, 1, 1});
    HookRig other(kPool, every(1000));
    other.give_network({1, 2}, {0, 0});
    other.give_written(3);
    rig.copy_state_to(other);
    for (HookRig* each : {&rig, &other}) {
        play(*each, {1, 2, 0}, {-1, 0, 1});
    }
    CHECK(other.reported[0] == rig.reported[0]);
    CHECK(other.reported[1] == rig.reported[1]);
}

TEST_CASE("a network of other parameters holds no copies") {
    HookRig rig(kPool, every(1000));
    rig.give_network({1, 2}, {0, 0});
    rig.give_written(3);
    rig.give_network({1, 2, 3}, {0, 0, 0});
    CHECK(rig.call(TN_HOOK_STARTED) == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error.find("same parameters") != std::string::npos);
}

}  // namespace
}  // namespace pool_test
