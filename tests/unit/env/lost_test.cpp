// SPDX-License-Identifier: Apache-2.0
// Lanes that an env says are lost begin again and take the step; envs that take all lanes in one call.
#include "base/random/key.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_run.hpp"

namespace lost_test {

namespace {

using namespace tenon;

TEST_CASE("a lane that its env has lost begins an episode in place of the step") {
    test::FakeRun run(100, [](test::FakeEnv& env) {
        env.breaks_lane = 70;
        env.breaks_with = TN_LOST;
    });
    REQUIRE(run.step());
    REQUIRE(run.step());
    CHECK(run.lanes->lost()[70] == 0);
    const std::uint64_t episode = run.env.lanes[70].episode;
    const std::uint32_t slot = run.storage->head();
    REQUIRE(run.step());
    CHECK(run.lanes->lost()[70] == 1);
    CHECK(run.lanes->lost()[69] == 0);
    CHECK(run.lanes->running() == 100);
    CHECK(run.lanes->take_warnings().empty());
    const Problems notices = run.lanes->take_notices();
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].sentence == "fake/Env: the wheels came off");
    // The interrupted episode was cut off a step before; a new one took this step.
    CHECK(run.env.lanes[70].episode == episode + 1);
    CHECK(run.env.lanes[70].steps == 1);
    const std::uint32_t before = run.storage->slot_before(slot);
    CHECK(run.storage->flags().truncated[before * 100 + 70] == 1);
    CHECK(run.storage->flags().truncated[slot * 100 + 70] == 0);
    CHECK(*static_cast<float*>(row_at(run.storage->find("observation")->view, slot, 70)) == 0.0F);
    CHECK(*static_cast<float*>(row_at(run.storage->find("observation")->view, run.storage->head(), 70)) == 1.0F);
    REQUIRE(run.step());
    CHECK(run.lanes->lost()[70] == 0);
}

TEST_CASE("an env that asks for all lanes gets them in one call, parked ones too") {
    test::FakeRun run(100, [](test::FakeEnv& env) {
        env.all_lanes = true;
        env.breaks_lane = 70;
    });
    for (int t = 0; t < 5; ++t) {
        REQUIRE(run.step());
    }
    CHECK(run.env.counts == std::vector<std::uint32_t>(5, 100));
    CHECK(run.env.stepped[70] == 3);
    CHECK(run.env.stepped[71] == 5);
    CHECK(run.lanes->running() == 99);
}

}  // namespace

}  // namespace lost_test
