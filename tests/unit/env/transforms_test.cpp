// SPDX-License-Identifier: Apache-2.0
// A chain of transforms: the storage shows the outer side, the env sees the inner one.
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"

namespace transforms_test {

namespace {

using namespace tenon;
using test::FakeTransform;

TEST_CASE("observations pass the chain outwards and actions inwards, final observations too") {
    constexpr std::uint32_t kLanes = 100;
    constexpr std::uint32_t kSteps = 30;
    const unsigned threads = GENERATE(1U, 3U);
    Pool pool(threads);
    test::FakeEnv env(kLanes);
    FakeTransform twice(FakeTransform::kTwice, kLanes);
    FakeTransform widen(FakeTransform::kWiden, kLanes);
    FakeTransform again(FakeTransform::kTwice, kLanes);
    FakeTransform continuous(FakeTransform::kContinuous, kLanes);
    Result<Lanes> lanes =
        Lanes::make(env.callee(), {twice.callee(), widen.callee(), again.callee(), continuous.callee()}, kLanes, pool);
    REQUIRE(lanes);
    CHECK(lanes->specs().find("observation")->shape == Shape{3});
    CHECK(lanes->specs().find("action") == nullptr);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), kSteps + 1, kLanes);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), kLanes);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    const auto move = [](std::uint32_t t, std::uint32_t lane) { return (t + lane) % 3 == 0 ? -0.5F : 0.5F; };
    std::vector<std::vector<double>> rewards;  // as the env gave them
    for (std::uint32_t t = 0; t < kSteps; ++t) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            *static_cast<float*>(row_at(storage.find("move")->view, t, lane)) = move(t, lane);
        }
        REQUIRE(lanes->step());
        rewards.emplace_back(lanes->rewards().begin(), lanes->rewards().end());
    }
    const StorageColumn& observation = *storage.find("observation");
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        test::FakeLane alone{.seed = seeds[lane], .episode = 0, .steps = 0};
        alone.begin();
        const auto shows = [&](const void* row) {
            const auto* const x = static_cast<const float*>(row);
            return x[0] == 4 * alone.observation(0) && x[1] == 4 * alone.observation(1) &&
                   x[2] == 2 * static_cast<float>(alone.steps);
        };
        for (std::uint32_t t = 0; t < kSteps; ++t) {
            CAPTURE(lane, t);
            REQUIRE(shows(row_at(observation.view, t, lane)));
            ++alone.steps;
            const float reward = *static_cast<float*>(row_at(storage.find("reward")->view, t, lane));
            REQUIRE(reward == alone.reward(move(t, lane) < 0 ? 0 : 2) + 2);
            REQUIRE(rewards[t][lane] == reward - 2);
            if (alone.terminated() || alone.truncated()) {
                REQUIRE(shows(row_at(observation.final, t, lane)));
                alone.begin();
            }
        }
    }
}

TEST_CASE("inside of a transform only observations have final values") {
    Pool pool(1);
    test::FakeEnv env(1);
    FakeTransform widen(FakeTransform::kWiden, 1);
    Result<Lanes> lanes = Lanes::make(env.callee(), {widen.callee()}, 1, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, 1);
    REQUIRE(lanes->bind(storage));
    std::ranges::sort(widen.inner_keys);
    const std::vector<std::string> keys = {"action", "lives",      "next.observation", "observation",
                                           "reward", "terminated", "truncated"};
    CHECK(widen.inner_keys == keys);
}

TEST_CASE("a step is told before the reset that followed it") {
    Pool pool(1);
    test::FakeEnv env(1);
    FakeTransform widen(FakeTransform::kWiden, 1);
    Result<Lanes> lanes = Lanes::make(env.callee(), {widen.callee()}, 1, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, 1);
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), 1).data()));
    const std::int64_t length = std::min<std::int64_t>(env.lanes[0].length(), 7);
    std::vector<std::int32_t> expected = {TN_TRANSFORM_RESET};
    for (std::int64_t t = 0; t < length; ++t) {
        REQUIRE(lanes->step());
        expected.push_back(TN_TRANSFORM_STEP);
    }
    expected.push_back(TN_TRANSFORM_RESET);
    CHECK(widen.events == expected);
}

TEST_CASE("what a lane left behind that broke in a step is not shown to transforms") {
    Pool pool(1);
    test::FakeEnv env(3);
    env.breaks_lane = 1;
    FakeTransform widen(FakeTransform::kWiden, 3);
    Result<Lanes> lanes = Lanes::make(env.callee(), {widen.callee()}, 3, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, 3);
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, nullptr));
    for (int t = 0; t < 3; ++t) {
        REQUIRE(lanes->step());
    }
    CHECK(widen.steps[1] == 2);
}

TEST_CASE("an action of the same key, dtype and shape stays in the storage as the policy gave it") {
    Pool pool(1);
    test::FakeEnv env(1);
    FakeTransform fourth(FakeTransform::kFourth, 1);
    Result<Lanes> lanes = Lanes::make(env.callee(), {fourth.callee()}, 1, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, 1);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), 1);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    auto* const action = static_cast<std::int64_t*>(row_at(storage.find("action")->view, 0, 0));
    *action = 3;
    REQUIRE(lanes->step());
    CHECK(*action == 3);
    test::FakeLane alone{.seed = seeds[0], .episode = 0, .steps = 0};
    alone.begin();
    ++alone.steps;
    CHECK(*static_cast<float*>(row_at(storage.find("reward")->view, 0, 0)) == alone.reward(2));
}

TEST_CASE(
    "the storage keeps the policy's action if an invert leaves the spec as it is, and the env gets what it wrote") {
    struct Chain {
        std::vector<FakeTransform::Kind> kinds;
        std::int64_t arrives;  // of the choice 0
    };
    const Chain chain = GENERATE(Chain{{FakeTransform::kMirror}, 2}, Chain{{FakeTransform::kInvertsNone}, 0},
                                 Chain{{FakeTransform::kMirror, FakeTransform::kInvertsNone}, 2},
                                 Chain{{FakeTransform::kMirror, FakeTransform::kMirror}, 0},
                                 Chain{{FakeTransform::kInvertsNone, FakeTransform::kFourth}, 0});
    Pool pool(1);
    test::FakeEnv env(2);
    std::vector<FakeTransform> transforms;
    for (const FakeTransform::Kind kind : chain.kinds) {
        transforms.emplace_back(kind, 2);
    }
    std::vector<Callee<tn_transform_api>> callees;
    for (FakeTransform& transform : transforms) {
        callees.push_back(transform.callee());
    }
    Result<Lanes> lanes = Lanes::make(env.callee(), std::move(callees), 2, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, 2);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), 2);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    const auto action = [&](std::uint32_t lane) -> std::int64_t& {
        return *static_cast<std::int64_t*>(row_at(storage.find("action")->view, 0, lane));
    };
    action(0) = 0;
    action(1) = 1;
    REQUIRE(lanes->step());
    CHECK(action(0) == 0);
    CHECK(action(1) == 1);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        test::FakeLane alone{.seed = seeds[lane], .episode = 0, .steps = 0};
        alone.begin();
        ++alone.steps;
        const float reward = *static_cast<float*>(row_at(storage.find("reward")->view, 0, lane));
        CHECK(reward == alone.reward(lane == 0 ? chain.arrives : 1));
    }
}

TEST_CASE("an action cannot be changed on the way out without a way back in") {
    Pool pool(1);
    test::FakeEnv env(2);
    FakeTransform continuous(FakeTransform::kContinuous, 2);
    continuous.inverts = false;
    const Result<Lanes> lanes = Lanes::make(env.callee(), {continuous.callee()}, 2, pool);
    REQUIRE_FALSE(lanes);
    CHECK_THAT(lanes.error().sentence,
               Catch::Matchers::ContainsSubstring("fake/continuous") && Catch::Matchers::ContainsSubstring("'action'"));
}

}  // namespace

}  // namespace transforms_test
