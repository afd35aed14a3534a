// SPDX-License-Identifier: Apache-2.0
// Episodes that a transform ends, and what transforms learn from all lanes.
#include "base/data/state_bytes.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"

namespace cut_test {

namespace {

using namespace tenon;
using test::FakeTransform;

TEST_CASE("an episode that a transform ends keeps its last observation, and the env begins the next one") {
    constexpr std::uint32_t kLanes = 100;
    constexpr std::uint32_t kSteps = 9;
    Pool pool(GENERATE(1U, 3U));
    test::FakeEnv env(kLanes);
    FakeTransform inside(FakeTransform::kTwice, kLanes);
    FakeTransform limit(FakeTransform::kLimit, kLanes);
    FakeTransform widen(FakeTransform::kWiden, kLanes);
    Result<Lanes> lanes = Lanes::make(env.callee(), {inside.callee(), limit.callee(), widen.callee()}, kLanes, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), kSteps + 1, kLanes);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), kLanes);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    for (std::uint32_t t = 0; t < kSteps; ++t) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            *static_cast<std::int64_t*>(row_at(storage.find("action")->view, t, lane)) = 1;
        }
        REQUIRE(lanes->step());
    }
    const StorageColumn& observation = *storage.find("observation");
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        test::FakeLane alone{.seed = seeds[lane], .episode = 0, .steps = 0};
        alone.begin();
        const auto shows = [&](const void* row) {
            const auto* const x = static_cast<const float*>(row);
            return x[0] == 2 * alone.observation(0) && x[1] == 2 * alone.observation(1) &&
                   x[2] == static_cast<float>(alone.steps);
        };
        for (std::uint32_t t = 0; t < kSteps; ++t) {
            CAPTURE(lane, t);
            REQUIRE(shows(row_at(observation.view, t, lane)));
            REQUIRE(*static_cast<std::uint8_t*>(row_at(storage.find("is_init")->view, t, lane)) ==
                    (alone.steps == 0 ? 1 : 0));
            REQUIRE(*static_cast<std::int32_t*>(row_at(storage.find("lives")->view, t, lane)) == alone.lives());
            ++alone.steps;
            const std::size_t at = std::size_t{t} * kLanes + lane;
            REQUIRE(storage.flags().terminated[at] == 0);
            REQUIRE(storage.flags().truncated[at] == (alone.steps == 2 ? 1 : 0));
            if (alone.steps == 2) {
                REQUIRE(shows(row_at(observation.final, t, lane)));
                alone.begin();
            }
        }
    }
}

// Its output has memory of its own, and so has its final observation.
TEST_CASE("the final observation is that of the transform that changes it and ends the episode") {
    constexpr std::uint32_t kLanes = 3;
    Pool pool(1);
    test::FakeEnv env(kLanes);
    FakeTransform widen(FakeTransform::kWiden, kLanes);
    widen.limits = true;
    Result<Lanes> lanes = Lanes::make(env.callee(), {widen.callee()}, kLanes, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, kLanes);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), kLanes);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    for (std::uint32_t t = 0; t < 2; ++t) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            *static_cast<std::int64_t*>(row_at(storage.find("action")->view, t, lane)) = 1;
        }
        REQUIRE(lanes->step());
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CAPTURE(lane);
        test::FakeLane alone{.seed = seeds[lane], .episode = 0, .steps = 0};
        alone.begin();
        alone.steps = 2;
        REQUIRE(storage.flags().truncated[kLanes + lane] == 1);
        const auto* const last = static_cast<const float*>(row_at(storage.find("observation")->final, 1, lane));
        CHECK((last[0] == alone.observation(0) && last[1] == alone.observation(1) && last[2] == 2));
    }
}

TEST_CASE("lanes are brought together once an event, and not in lanes that follow others") {
    Pool pool(1);
    test::FakeEnv env(3);
    test::FakeEnv other_env(1);
    FakeTransform limit(FakeTransform::kLimit, 3);
    FakeTransform other(FakeTransform::kLimit, 1);
    Result<Lanes> training = Lanes::make(env.callee(), {limit.callee()}, 3, pool);
    Result<Lanes> evaluation = Lanes::make(other_env.callee(), {other.callee()}, 1, pool);
    REQUIRE(training);
    REQUIRE(evaluation);
    CHECK_FALSE(training->commons().empty());
    Storage storage = *Storage::make(storage_columns(training->specs()), 4, 3);
    Storage other_storage = *Storage::make(storage_columns(evaluation->specs()), 4, 1);
    REQUIRE(training->bind(storage));
    REQUIRE(evaluation->bind(other_storage));
    REQUIRE(training->reset(nullptr, nullptr));
    for (int t = 0; t < 3; ++t) {
        REQUIRE(training->step());
    }
    CHECK(limit.gathered == 4);  // reset, step, step with resets after it, step
    REQUIRE(evaluation->follow(*training));
    REQUIRE(evaluation->reset(nullptr, nullptr));
    REQUIRE(evaluation->step());
    CHECK(other.gathered == 4);

    StateBytes bytes;
    REQUIRE(training->save_common(bytes.writer()));
    limit.gathered = 0;
    REQUIRE(training->load_common(bytes.reader()));
    CHECK(limit.gathered == 4);
}

TEST_CASE("what transforms have learnt goes only to the same transforms") {
    Pool pool(1);
    test::FakeEnv env(1);
    FakeTransform limit(FakeTransform::kLimit, 1);
    FakeTransform widen(FakeTransform::kWiden, 1);
    Result<Lanes> learns = Lanes::make(env.callee(), {limit.callee()}, 1, pool);
    Result<Lanes> plain = Lanes::make(env.callee(), {widen.callee()}, 1, pool);
    REQUIRE(learns);
    REQUIRE(plain);
    CHECK(plain->commons().empty());
    CHECK(plain->follow(*learns));
    const Status without = learns->follow(*plain);
    REQUIRE_FALSE(without);
    CHECK_THAT(without.error().sentence, Catch::Matchers::ContainsSubstring("fake/limit learns while training"));
    StateBytes bytes;
    REQUIRE(plain->save_common(bytes.writer()));
    const Status wrong = learns->load_common(bytes.reader());
    REQUIRE_FALSE(wrong);
    CHECK_THAT(wrong.error().sentence, Catch::Matchers::ContainsSubstring("statistics of 0 transforms"));
}

}  // namespace

}  // namespace cut_test
