// SPDX-License-Identifier: Apache-2.0
// A broken lane is reported once, left out, and harms no other.
#include <cmath>

#include "base/random/key.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_run.hpp"
#include "unit/env/fake_transform.hpp"

namespace parking_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

struct Run : test::FakeRun {
    Run(std::uint32_t lane_count, std::uint32_t broken, std::vector<Callee<tn_transform_api>> transforms = {})
        : FakeRun(lane_count, [&](test::FakeEnv& fake) { fake.breaks_lane = broken; }, std::move(transforms)) {}
};

TEST_CASE("a parked lane is reported once, by name, and never stepped again") {
    Run run(100, 70);
    for (int t = 0; t < 20; ++t) {
        REQUIRE(run.step());
        const Problems warnings = run.lanes->take_warnings();
        REQUIRE(warnings.size() == (t == 2 ? 1 : 0));
        if (t == 2) {
            CHECK(warnings[0].sentence ==
                  "fake/Env: lane 70 is parked and its frames are left out: the wheels came off");
        }
    }
    CHECK(run.env.stepped[70] == 3);
    CHECK(run.env.stepped[69] == 20);
    CHECK(run.env.stepped[71] == 20);
    CHECK(run.lanes->running() == 99);
    CHECK(run.storage->view().count[70] == 0);
    CHECK(run.storage->view().total == std::uint64_t{99} * 5);
    // Not even a reset brings it back.
    const std::uint64_t episode = run.env.lanes[70].episode;
    REQUIRE(run.lanes->reset(nullptr, nullptr));
    CHECK(run.env.lanes[70].episode == episode);
}

TEST_CASE("its rows are frozen: the last observation, no reward, not done") {
    Run run(3, 1);
    REQUIRE(run.step());
    REQUIRE(run.step());
    const std::uint32_t slot = run.storage->head();
    const View& observation = run.storage->find("observation")->view;
    float last[2];
    std::memcpy(last, row_at(observation, slot, 1), sizeof last);
    for (int t = 0; t < 15; ++t) {
        REQUIRE(run.step());
        const std::uint32_t head = run.storage->head();
        CHECK(std::memcmp(row_at(observation, head, 1), last, sizeof last) == 0);
        const std::uint32_t before = run.storage->slot_before(head);
        CHECK(*static_cast<float*>(row_at(run.storage->find("reward")->view, before, 1)) == 0.0F);
        CHECK_FALSE(run.storage->flags().ended(before, 1));
    }
}

TEST_CASE("the other lanes do what they would have done") {
    Run broken(100, 70);
    Run whole(100, ~0U);
    for (int t = 0; t < 30; ++t) {
        REQUIRE(broken.step());
        REQUIRE(whole.step());
    }
    for (const StorageColumn& column : whole.storage->columns()) {
        for (std::uint32_t slot = 0; slot < 6; ++slot) {
            for (std::uint32_t lane = 0; lane < 100; ++lane) {
                CAPTURE(column.key, slot, lane);
                REQUIRE((lane == 70 || std::memcmp(row_at(column.view, slot, lane),
                                                   row_at(broken.storage->find(column.key)->view, slot, lane),
                                                   row_bytes(column)) == 0));
            }
        }
    }
}

TEST_CASE("without any lane left the run ends") {
    Run run(1, 0);
    REQUIRE(run.step());
    REQUIRE(run.step());
    const Status status = run.step();
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence,
               ContainsSubstring("all lanes are parked") && ContainsSubstring("cannot continue: the wheels came off"));
}

TEST_CASE("a lane whose numbers are none is parked like one that its env gave up") {
    struct Case {
        test::FakeEnv::Spoilt spoilt;
        int step;  // the one that shows it
        const char* sentence;
    };
    for (const auto& [spoilt, step, sentence] :
         {Case{test::FakeEnv::Spoilt::kReward, 2, "its column 'reward' is nan"},
          Case{test::FakeEnv::Spoilt::kObservation, 2, "its column 'observation' is inf at element 1"},
          Case{test::FakeEnv::Spoilt::kFinal, -1, "its column 'next.observation' is nan at element 0"}}) {
        Run run(100, ~0U);
        run.env.spoils_lane = 70;
        run.env.spoilt = spoilt;
        std::string said;
        int t = 0;
        for (; t < 12 && said.empty(); ++t) {
            REQUIRE(run.step());
            for (const Problem& warning : run.lanes->take_warnings()) {
                said += warning.sentence;
            }
        }
        CHECK(said == std::string("fake/Env: lane 70 is parked and its frames are left out: ") + sentence);
        CHECK((step < 0 || t - 1 == step));
        CHECK(run.lanes->running() == 99);
        CHECK(run.storage->view().count[70] == 0);
        const float* last =
            static_cast<float*>(row_at(run.storage->find("observation")->view, run.storage->head(), 70));
        CHECK((std::isfinite(last[0]) && std::isfinite(last[1])));
    }
}

// The third transform changes the columns in place as well, so what it leaves does not tell who spoilt them.
TEST_CASE("the transform that makes numbers that are none is named, and those after it never see them") {
    struct Case {
        std::int64_t from;  // the first step of an episode that is spoilt
        bool reward;
        const char* sentence;
    };
    for (const auto& [from, reward, sentence] : {Case{0, false, "its column 'observation' is nan at element 0"},
                                                 Case{1, false, "its column 'observation' is nan at element 0"},
                                                 Case{2, false, "its column 'next.observation' is nan at element 0"},
                                                 Case{1, true, "its column 'reward' is inf"}}) {
        test::FakeTransform widen(test::FakeTransform::kWiden, 100);
        test::FakeTransform spoilt(test::FakeTransform::kTwice, 100);
        test::FakeTransform limit(test::FakeTransform::kLimit, 100);
        test::FakeTransform first_limit(test::FakeTransform::kLimit, 100);
        spoilt.spoils_lane = 70;
        spoilt.spoils_from = from;
        spoilt.spoils_reward = reward;
        Run run(100, ~0U, {first_limit.callee(), widen.callee(), spoilt.callee(), limit.callee()});
        std::string said;
        for (int t = 0; t < 4; ++t) {
            for (const Problem& warning : run.lanes->take_warnings()) {
                said += warning.sentence;
            }
            REQUIRE(run.step());
        }
        CHECK(said == std::string("fake/twice: lane 70 is parked and its frames are left out: ") + sentence);
        CHECK(run.lanes->running() == 99);
        CHECK(limit.steps[70] == std::max<std::int64_t>(from - 1, 0));
    }
}

TEST_CASE("who measures an env alone does not have its numbers looked at") {
    Run run(3, ~0U);
    run.env.spoils_lane = 1;
    run.env.spoilt = test::FakeEnv::Spoilt::kReward;
    run.lanes->trust();
    for (int t = 0; t < 5; ++t) {
        REQUIRE(run.step());
    }
    CHECK(run.lanes->running() == 3);
}

TEST_CASE("lanes that break in one step for the same reason are named in one sentence") {
    Run run(100, ~0U);
    run.env.breaks_lane = 70;
    run.env.breaks_from = 90;
    for (int t = 0; t < 3; ++t) {
        REQUIRE(run.step());
    }
    const Problems warnings = run.lanes->take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].sentence ==
          "fake/Env: lanes 70 and 90 to 99 are parked and their frames are left out; the last reason "
          "given is: the wheels came off");
}

TEST_CASE("lanes given up without a reason are told by their status, the first three sets by name") {
    Run run(100, ~0U);
    auto& status = run.env.breaks_silently;
    status.assign(100, 0);
    for (const std::uint32_t lane : {1, 3, 5, 7, 9, 10, 11}) {
        status[lane] = TN_INTERNAL;
    }
    status[20] = status[21] = TN_DATA_LOSS;
    status[30] = TN_NOT_FOUND;
    status[40] = TN_UNIMPLEMENTED;
    std::vector<std::string> expected = {
        "fake/Env: lanes 1, 3, 5, 7 and 3 more are parked and their frames are left out: its status is 8",
        "fake/Env: lanes 20 to 21 are parked and their frames are left out: its status is 7",
        "fake/Env: lane 30 is parked and its frames are left out: its status is 2",
        "fake/Env: 1 more lane is parked in the same step"};
    SECTION("one lane in the fourth set") {}
    SECTION("lanes in the fourth and the fifth set") {
        status[41] = TN_UNIMPLEMENTED;
        status[50] = TN_INVALID_ARGUMENT;
        expected.back() = "fake/Env: 3 more lanes are parked in the same step";
    }
    for (int t = 0; t < 3; ++t) {
        REQUIRE(run.step());
    }
    std::vector<std::string> said;
    for (const Problem& warning : run.lanes->take_warnings()) {
        said.push_back(warning.sentence);
    }
    CHECK(said == expected);
}

}  // namespace

}  // namespace parking_test
