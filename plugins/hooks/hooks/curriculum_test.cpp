// SPDX-License-Identifier: Apache-2.0
#include "curriculum.hpp"

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace curriculum_test {

using tenon::test::HookRig;

namespace {

constexpr auto kCurriculum = tenon::hook<Curriculum>("curriculum", "moves an option");

auto with(double from, double to, double step) {
    return [=](auto& options) {
        options["option"].text = tenon::to_str("env.wrappers.0.most");
        options["from"].real = from;
        options["to"].real = to;
        options["step"].real = step;
        options["episodes"].integer = 4;
        options["easier_below"].real = 0.5;
    };
}

// One episode a lane, which succeeds where the value is 1.
void play(HookRig& rig, const std::vector<float>& successes) {
    rig.collect(successes, std::vector<std::uint8_t>(successes.size(), 1), static_cast<std::uint32_t>(successes.size()),
                0, 1, 1);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
}

TEST_CASE("the task becomes harder after successes, easier after failures, and stays between its ends") {
    HookRig rig(kCurriculum, with(10, 25, 10));
    REQUIRE(rig.call(TN_HOOK_STARTED) == TN_OK);
    CHECK(rig.moved[0] == 10);
    play(rig, {1, 1, 1, 1});
    CHECK(rig.moved[0] == 20);
    CHECK(rig.reported[0] == 1);
    play(rig, {1, 1, 1, 1});
    CHECK(rig.moved[0] == 25);
    play(rig, {1, 1, 0, 0});
    CHECK(rig.moved[0] == 25);
    CHECK(rig.reported[0] == 0.5);
    play(rig, {0, 0, 0, 1});
    CHECK(rig.moved[0] == 15);
    play(rig, {0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(rig.moved[0] == 10);
}

TEST_CASE("the hardest value may be the smaller one") {
    HookRig rig(kCurriculum, with(10, 5, 2));
    REQUIRE(rig.call(TN_HOOK_STARTED) == TN_OK);
    play(rig, {1, 1, 1, 1});
    CHECK(rig.moved[0] == 8);
}

TEST_CASE("steps inside of an episode do not count, and a restored hook continues to count") {
    HookRig rig(kCurriculum, with(0, 9, 1));
    rig.collect({1, 1, 1, 1, 1, 1}, {0, 0, 1, 0, 1, 1}, 2, 0, 3, 3);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    CHECK(rig.moved[0] == 0);
    HookRig other(kCurriculum, with(0, 9, 1));
    rig.copy_state_to(other);
    play(other, {1});
    CHECK(other.moved[0] == 1);
}

}  // namespace
}  // namespace curriculum_test
