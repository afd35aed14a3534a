// SPDX-License-Identifier: Apache-2.0
// An env inside wrappers: who is blamed for what, and episodes that a wrapper ends.
#include "base/random/key.hpp"
#include "experience/env/env_stack.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"
#include "unit/env/fake_wrapper.hpp"

namespace wrappers_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

constexpr std::uint32_t kLanes = 3;

// Lanes of an env inside two wrappers, on a storage.
struct Rig {
    Pool pool{1};
    test::FakeEnv env{kLanes};
    test::FakeWrapper inside{"fake/Inside"};
    test::FakeWrapper outside{"fake/Outside", 2};
    std::optional<Lanes> lanes;
    std::optional<Storage> storage;

    void begin(std::vector<Callee<tn_transform_api>> transforms = {}) {
        Result<EnvStack> stack = test::stack_of(env.callee(), {&inside, &outside}, kLanes);
        REQUIRE(stack);
        Result<Lanes> made = Lanes::make(*std::move(stack), std::move(transforms), kLanes, pool);
        REQUIRE(made);
        lanes = *std::move(made);
        storage = *Storage::make(storage_columns(lanes->specs()), 20, kLanes);
        REQUIRE(lanes->bind(*storage));
        REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), kLanes).data()));
    }
    Status step(std::uint64_t t = 0) {
        test::put_actions(*storage, t);
        return lanes->step();
    }
    float observed(std::uint32_t slot, std::uint32_t lane) {
        return static_cast<const float*>(row_at(storage->find("observation")->view, slot, lane))[0];
    }
};

std::string sentence(const Status& status) {
    return status ? "" : status.error().sentence;
}

}  // namespace

TEST_CASE("wrappers step the env, and the env has the lanes' name") {
    Rig rig;
    rig.begin();
    REQUIRE(rig.step());
    CHECK(rig.env.lanes[0].steps == 2);
    CHECK(rig.observed(1, 0) == 2);
    CHECK(rig.lanes->name() == "fake/Env");
    CHECK(rig.lanes->without_state().empty());
}

TEST_CASE("a failure is that of the layer in which it happens") {
    SECTION("the env's step") {
        Rig rig;
        rig.begin();
        rig.env.fails_lane = 1;
        CHECK_THAT(sentence(rig.step()), StartsWith("fake/Env, step"));
        rig.env.fails_lane = ~0U;
        CHECK(rig.step());
    }
    SECTION("a wrapper's step of lanes that the env does not have") {
        Rig rig;
        rig.begin();
        rig.outside.too_many = 3;
        CHECK(sentence(rig.step()) ==
              "fake/Outside, step: it stepped 4 lanes from lane 0 on, slots 0 and 1, of fake/Inside, which has 3 lanes "
              "and 20 slots");
    }
    SECTION("attach") {
        test::FakeEnv env(kLanes);
        test::FakeWrapper wrapper("fake/Wrapper");
        wrapper.refuses_to_attach = TN_UNIMPLEMENTED;
        CHECK_THAT(test::stack_of(env.callee(), {&wrapper}, kLanes).error().sentence,
                   StartsWith("fake/Wrapper, attach"));
    }
    SECTION("an invalid description of the env") {
        test::FakeEnv env(kLanes);
        env.specs.specs[0].key = "done";
        test::FakeWrapper wrapper("fake/Wrapper");
        CHECK_THAT(test::stack_of(env.callee(), {&wrapper}, kLanes).error().sentence, StartsWith("fake/Env"));
    }
}

TEST_CASE("a lane is given up by the layer that gives it up") {
    Rig rig;
    SECTION("the env") {
        rig.env.breaks_lane = 1;
        rig.begin();
        REQUIRE(rig.step());
        REQUIRE(rig.step(1));
        const Problems warnings = rig.lanes->take_warnings();
        REQUIRE(warnings.size() == 1);
        CHECK(warnings[0].sentence == "fake/Env: lane 1 is parked and its frames are left out: the wheels came off");
    }
    SECTION("NaN of the env") {
        rig.env.spoilt = test::FakeEnv::Spoilt::kObservation;
        rig.begin();
        REQUIRE(rig.step());
        REQUIRE(rig.step(1));
        const Problems warnings = rig.lanes->take_warnings();
        REQUIRE(warnings.size() == 1);
        CHECK_THAT(warnings[0].sentence, StartsWith("fake/Env: lane 0 is parked"));
    }
}

TEST_CASE("an episode that a wrapper ends is followed by the env's next one") {
    test::FakeTransform widen(test::FakeTransform::kWiden, kLanes);  // adds the steps since the episode began
    bool is_widened = false;
    Rig rig;
    rig.outside.steps = 1;
    rig.outside.cuts_lane = 1;
    SECTION("alone") {
        rig.begin();
    }
    SECTION("before a transform") {
        rig.begin({widen.callee()});
        is_widened = true;
    }
    REQUIRE(rig.step());
    CHECK(rig.env.lanes[1].episode == 1);
    REQUIRE(rig.step(1));
    CHECK(rig.storage->flags().truncated[kLanes + 1] == 1);
    CHECK(rig.storage->flags().truncated[kLanes + 0] == 0);
    CHECK(rig.env.lanes[1].episode == 2);
    CHECK(rig.env.lanes[1].steps == 0);
    CHECK(rig.env.lanes[0].episode == 1);
    CHECK(rig.observed(2, 1) == 0);
    const auto* const final = static_cast<const float*>(row_at(rig.storage->find("observation")->final, 1, 1));
    CHECK(final[0] == 2);
    REQUIRE(rig.step(2));
    CHECK(rig.observed(3, 1) == 1);
    if (is_widened) {
        const auto* const next = static_cast<const float*>(row_at(rig.storage->find("observation")->view, 3, 1));
        CHECK(final[2] == 2);
        CHECK(next[2] == 1);
    }
}

TEST_CASE("a lane whose episode ends in the reset begins the seed's next one, and the others keep theirs") {
    Rig rig;
    rig.outside.ends_lane = 1;
    rig.outside.ends = 2;
    rig.begin();
    const std::vector<std::uint64_t> seeds = lane_seeds(make_key(3, "env"), kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CAPTURE(lane);
        CHECK(rig.env.lanes[lane].episode == (lane == 1 ? 3 : 1));
        CHECK(rig.env.lanes[lane].seed == seeds[lane]);
    }
    const auto* const first = static_cast<const float*>(row_at(rig.storage->find("observation")->view, 0, 1));
    CHECK(first[1] == rig.env.lanes[1].observation(1));
    REQUIRE(rig.step());
    CHECK(rig.storage->flags().truncated[1] == 0);
    CHECK(rig.env.lanes[1].episode == 3);
}

TEST_CASE("an env whose episodes all end before their first observation is refused") {
    Rig rig;
    rig.begin();
    rig.outside.ends_lane = 1;
    rig.outside.ends = 999;
    CHECK(rig.lanes->reset(nullptr, nullptr));
    CHECK(rig.outside.ends == 0);
    rig.outside.ends = 1000;
    CHECK(sentence(rig.lanes->reset(nullptr, nullptr)) ==
          "fake/Outside: reset: 1000 episodes in a row end before their first observation");
}

TEST_CASE("options of wrappers follow live values, and are told only when these change") {
    using Told = std::vector<std::pair<std::uint32_t, double>>;
    std::vector<double> values = {7, 1, 5};
    Rig rig;
    rig.begin();
    REQUIRE(rig.lanes->read_options({{.layer = 2, .option = 3, .value = 1}, {.layer = 1, .option = 0, .value = 2}},
                                    values));
    rig.lanes->follow_values(values);
    REQUIRE(rig.step());
    REQUIRE(rig.step(1));
    CHECK(rig.outside.told == Told{{3, 1}});
    CHECK(rig.inside.told == Told{{0, 5}});
    values[1] = 2;
    REQUIRE(rig.step(2));
    CHECK(rig.outside.told == Told{{3, 1}, {3, 2}});
    CHECK(rig.inside.told == Told{{0, 5}});
    values[2] = -1;
    CHECK_THAT(sentence(rig.step(3)), StartsWith("fake/Inside, set"));
    Rig other;
    other.inside.is_live = false;
    other.begin();
    CHECK(sentence(other.lanes->read_options({{.layer = 1, .option = 0, .value = 0}}, values)) ==
          "fake/Inside: its note says that options can change while a run goes on, and it has no interface "
          "'tenon.live/1' for that");
}

}  // namespace wrappers_test
