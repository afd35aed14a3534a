// SPDX-License-Identifier: Apache-2.0
// What stands in the storage after many steps is what each lane, simulated alone, did.
#include "experience/env/lanes.hpp"

#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"

namespace lanes_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

template <class T>
T at(const View& view, std::uint32_t slot, std::uint32_t lane, std::int64_t element = 0) {
    return static_cast<const T*>(row_at(view, slot, lane))[element];
}

// All that a run leaves in a storage, as bytes.
std::vector<unsigned char> bytes_of(const Storage& storage) {
    std::vector<unsigned char> out;
    for (const StorageColumn& column : storage.columns()) {
        for (const View& view : {column.view, column.final}) {
            const auto* const data = static_cast<const unsigned char*>(view.data);
            out.insert(out.end(), data, data + (view.data == nullptr ? 0 : view.bytes()));
        }
    }
    return out;
}

TEST_CASE("every step stands where readers look for it, auto-reset included") {
    constexpr std::uint32_t kLanes = 5;
    constexpr std::uint32_t kSteps = 40;
    Pool pool(1);
    test::FakeEnv env(kLanes);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, kLanes, pool);
    REQUIRE(lanes);
    CHECK(lanes->env_info().deterministic);
    CHECK(lanes->env_info().episode_limit == 7);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), kSteps + 1, kLanes);
    REQUIRE(lanes->bind(storage));
    const auto seeds = lane_seeds(make_key(3, "env"), kLanes);
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    for (std::uint32_t t = 0; t < kSteps; ++t) {
        test::put_actions(storage, t);
        REQUIRE(lanes->step());
    }
    CHECK(storage.view().total == std::uint64_t{kSteps} * kLanes);
    const StorageColumn& observation = *storage.find("observation");
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        test::FakeLane alone{.seed = seeds[lane], .episode = 0, .steps = 0};
        alone.begin();
        bool starts = true;
        for (std::uint32_t t = 0; t < kSteps; ++t) {
            CAPTURE(lane, t);
            REQUIRE(at<float>(observation.view, t, lane, 0) == alone.observation(0));
            REQUIRE(at<float>(observation.view, t, lane, 1) == alone.observation(1));
            REQUIRE(at<std::int32_t>(storage.find("lives")->view, t, lane) == alone.lives());
            REQUIRE(at<std::uint8_t>(storage.find("is_init")->view, t, lane) == (starts ? 1 : 0));
            ++alone.steps;
            REQUIRE(at<float>(storage.find("reward")->view, t, lane) ==
                    alone.reward(at<std::int64_t>(storage.find("action")->view, t, lane)));
            REQUIRE(storage.flags().terminated[t * kLanes + lane] == (alone.terminated() ? 1 : 0));
            REQUIRE(storage.flags().truncated[t * kLanes + lane] == (alone.truncated() ? 1 : 0));
            starts = alone.terminated() || alone.truncated();
            if (starts) {
                REQUIRE(at<float>(observation.final, t, lane, 0) == alone.observation(0));
                REQUIRE(at<float>(observation.final, t, lane, 1) == alone.observation(1));
                alone.begin();
            }
        }
    }
}

TEST_CASE("the number of threads changes no byte") {
    constexpr std::uint32_t kLanes = 300;
    std::vector<std::vector<unsigned char>> results;
    for (const unsigned threads : {1U, 2U, 5U}) {
        Pool pool(threads);
        test::FakeEnv env(kLanes);
        env.breaks_lane = 130;
        Result<Lanes> lanes = Lanes::make(env.callee(), {}, kLanes, pool);
        REQUIRE(lanes);
        Storage storage = *Storage::make(storage_columns(lanes->specs()), 8, kLanes);
        REQUIRE(lanes->bind(storage));
        REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), kLanes).data()));
        for (std::uint64_t t = 0; t < 50; ++t) {
            test::put_actions(storage, t);
            REQUIRE(lanes->step());
        }
        results.push_back(bytes_of(storage));
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}

TEST_CASE("a partial reset touches the masked lanes alone and truncates their episodes") {
    Pool pool(1);
    test::FakeEnv env(3);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 3, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 10, 3);
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), 3).data()));
    test::put_actions(storage, 0);
    REQUIRE(lanes->step());
    const float before = at<float>(storage.find("observation")->view, 1, 1, 1);
    const std::uint8_t mask[] = {0, 1, 0};
    REQUIRE(lanes->reset(mask, nullptr));
    CHECK(env.lanes[0].episode == 1);
    CHECK(env.lanes[1].episode == 2);
    CHECK(storage.flags().truncated[1] == 1);
    CHECK(storage.flags().truncated[0] == 0);
    CHECK(at<float>(storage.find("observation")->final, 0, 1, 1) == before);
    CHECK(at<float>(storage.find("observation")->view, 1, 1, 1) == env.lanes[1].observation(1));
    CHECK(at<std::uint8_t>(storage.find("is_init")->view, 1, 1) == 1);
    CHECK(at<std::uint8_t>(storage.find("is_init")->view, 1, 0) == 0);
}

TEST_CASE("columns nobody reads need not be stored") {
    Pool pool(1);
    test::FakeEnv env(3);
    test::FakeEnv whole(3);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 3, pool);
    Result<Lanes> all = Lanes::make(whole.callee(), {}, 3, pool);
    REQUIRE(lanes);
    REQUIRE(all);
    Composite some = lanes->specs();
    some.specs.pop_back();
    REQUIRE(some.find("lives") == nullptr);
    Storage few = *Storage::make(storage_columns(some), 5, 3);
    Storage every = *Storage::make(storage_columns(all->specs()), 5, 3);
    const auto seeds = lane_seeds(make_key(1, "env"), 3);
    REQUIRE(lanes->bind(few));
    REQUIRE(all->bind(every));
    REQUIRE(lanes->reset(nullptr, seeds.data()));
    REQUIRE(all->reset(nullptr, seeds.data()));
    for (std::uint64_t t = 0; t < 30; ++t) {
        test::put_actions(few, t);
        test::put_actions(every, t);
        REQUIRE(lanes->step());
        REQUIRE(all->step());
    }
    CHECK(std::memcmp(few.find("observation")->view.data, every.find("observation")->view.data,
                      few.find("observation")->view.bytes()) == 0);
}

TEST_CASE("episodes go on when the columns move") {
    Pool pool(1);
    test::FakeEnv env(2);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 2, pool);
    REQUIRE(lanes);
    Storage a = *Storage::make(storage_columns(lanes->specs()), 5, 2);
    Storage b = *Storage::make(storage_columns(lanes->specs()), 9, 2);
    REQUIRE(lanes->bind(a));
    REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(1, "env"), 2).data()));
    REQUIRE(lanes->step());
    REQUIRE(lanes->bind(b));
    REQUIRE(lanes->step());
    CHECK(env.lanes[0].steps == 2);
    CHECK(at<float>(b.find("observation")->view, 1, 0) == 2.0F);
}

TEST_CASE("a failing range is the env's fault and the step does not count") {
    constexpr std::uint32_t kLanes = 200;
    Pool pool(2);
    test::FakeEnv env(kLanes);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, kLanes, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 5, kLanes);
    CHECK_FALSE(lanes->step());
    CHECK_FALSE(lanes->reset(nullptr, nullptr));
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, nullptr));
    env.fails_lane = 150;
    const Status status = lanes->step();
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kPlugin);
    CHECK_THAT(status.error().sentence, ContainsSubstring("fake/Env") && ContainsSubstring("step"));
    CHECK(storage.head() == 0);
    env.fails_lane = ~0U;
    CHECK(lanes->step());
}

TEST_CASE("a storage that does not fit is refused with both sides") {
    Pool pool(1);
    test::FakeEnv env(2);
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 2, pool);
    REQUIRE(lanes);
    Storage other = *Storage::make(storage_columns(lanes->specs()), 5, 3);
    CHECK_THAT(lanes->bind(other).error().sentence, ContainsSubstring("3 lanes") && ContainsSubstring("2 lanes"));
    Composite wrong = lanes->specs();
    wrong.specs[0].shape = {4};
    Storage wide = *Storage::make(storage_columns(wrong), 5, 2);
    CHECK_THAT(lanes->bind(wide).error().sentence,
               ContainsSubstring("float32 [4]") && ContainsSubstring("float32 [2]"));
}

TEST_CASE("returns need floats in one dimension") {
    Pool pool(1);
    test::FakeEnv integers(1);
    integers.specs.specs[2].dtype = DType::kI64;
    CHECK_THAT(
        Lanes::make(integers.callee(), {}, 1, pool).error().sentence,
        ContainsSubstring("'reward', which must be one float a row, several in one dimension, or one for each agent of "
                          "a group, not int64"));
    test::FakeEnv matrix(1);
    matrix.specs.specs[2].shape = {2, 2};
    CHECK_THAT(Lanes::make(matrix.callee(), {}, 1, pool).error().sentence, ContainsSubstring("float32 [2, 2]"));
}

TEST_CASE("returns are sums of all numbers of a reward") {
    Pool pool(1);
    test::FakeEnv env(2);
    env.specs.specs[2].shape = {3};
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, 2, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 3, 2);
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, nullptr));
    test::put_actions(storage, 0);
    REQUIRE(lanes->step());
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        const auto first = double{at<float>(storage.find("reward")->view, 0, lane, 0)};
        CHECK(lanes->rewards()[lane] == 3 * first + 3);
    }
}

}  // namespace

}  // namespace lanes_test
