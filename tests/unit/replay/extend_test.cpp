// SPDX-License-Identifier: Apache-2.0
// Steps of a caller's own in a storage: what comes out is what went in.
#include "experience/replay/extend.hpp"

#include <array>
#include <numeric>

#include "base/data/batch_edit.hpp"
#include "base/data/batch_shape.hpp"
#include "experience/replay/rollout.hpp"
#include "support/catch.hpp"
#include "world.hpp"

namespace extend_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

const std::vector<std::string> kAll = {"observation",     "next.observation", "action",  "next.reward",
                                       "next.terminated", "next.truncated",   "is_init", "next.done"};

// The steps [lane, time] that a world has stored since it began.
Batch steps_of(const test::World& world, std::uint32_t steps) {
    Rollout rollout = *Rollout::make(world.storage, kAll, "objective test", steps);
    rollout.assemble(world.storage.slot_back(steps), steps);
    return *batch_of(rollout).clone();
}

bool same_bytes(const Batch& a, const Batch& b) {
    if (a.leading() != b.leading()) {
        return false;
    }
    for (const BatchColumn& column : a.columns()) {
        std::vector<std::byte> x(column.view.bytes());
        std::vector<std::byte> y(column.view.bytes());
        const View& other = *b.find(column.key);
        copy(column.view, dense(x.data(), column.view.dtype, column.view.shape));
        copy(other, dense(y.data(), other.dtype, other.shape));
        if (x != y) {
            return false;
        }
    }
    return true;
}

Batch read_back(const Storage& storage, std::uint32_t steps) {
    Rollout rollout = *Rollout::make(storage, kAll, "objective test", steps);
    rollout.assemble(storage.slot_back(steps), steps);
    return *batch_of(rollout).clone();
}

TEST_CASE("steps that are appended in pieces are those that are stored, however the ring wraps") {
    const auto seed = GENERATE(range(0U, 60U));
    CAPTURE(seed);
    test::Dice random{seed};
    const std::uint32_t lanes = 1 + random() % 3;
    const std::uint32_t count = 4 + random() % 20;
    test::World world(seed, count + 1, lanes, 3);
    for (std::uint32_t t = 0; t < count; ++t) {
        world.step();
    }
    const Batch steps = steps_of(world, count);
    Result<std::vector<StorageColumn>> columns = columns_for(steps);
    REQUIRE(columns);
    const std::uint32_t slots = 3 + random() % count;
    Result<Storage> storage = Storage::make(*columns, slots, lanes);
    REQUIRE(storage);
    for (std::int64_t first = 0; first < count;) {
        const auto piece = std::min<std::int64_t>(1 + random() % 7, count - first);
        REQUIRE(extend(*storage, steps.slice(1, first, piece)));
        first += piece;
    }
    const std::uint32_t held = std::min(slots - 1, count);
    CHECK(storage->view().total == std::uint64_t{held} * lanes);
    CHECK(storage->view().appended == count);
    CHECK(same_bytes(read_back(*storage, held), steps.slice(1, count - held, held)));
}

TEST_CASE("roles follow from where a key stands") {
    test::World world(1, 4, 1, 2);
    world.step();
    Batch steps = steps_of(world, 1);
    REQUIRE(steps.add("log_prob", DType::kF32, {}));
    REQUIRE(steps.add("next.cost", DType::kF32, {2}));
    REQUIRE(steps.add("action_mean", DType::kF32, {}));
    const Result<std::vector<StorageColumn>> columns = columns_for(steps);
    REQUIRE(columns);
    const auto role_of = [&](std::string_view key) {
        return std::ranges::find(*columns, key, &StorageColumn::key)->role;
    };
    REQUIRE(columns->size() == 6);
    CHECK(role_of("observation") == Role::kObservation);
    CHECK(role_of("action") == Role::kAction);
    CHECK(role_of("reward") == Role::kReward);
    CHECK(role_of("cost") == Role::kReward);
    CHECK(role_of("log_prob") == Role::kExtra);
    CHECK(role_of("action_mean") == Role::kExtra);
}

// Steps of one lane whose observations are these numbers, each leading to its successor.
Batch counted(const std::vector<float>& from, const std::vector<float>& to) {
    const Shape leading = {static_cast<std::int64_t>(from.size())};
    Batch out(leading);
    const auto fill = [&](const char* key, const std::vector<float>& values) {
        std::ranges::copy(values, out.add(key, DType::kF32, {})->as<float>());
    };
    fill("observation", from);
    fill("next.observation", to);
    for (const char* const flag : {"next.terminated", "next.truncated"}) {
        REQUIRE(out.add(flag, DType::kBool, {}));
    }
    return out;
}

TEST_CASE("where an observation does not continue, the episode before it ends as truncated") {
    const Batch steps = counted({0, 1, 7, 8, 20}, {1, 2, 8, 9, 21});
    Result<Storage> storage = Storage::make(*columns_for(steps), 8, 1);
    REQUIRE(storage);
    REQUIRE(extend(*storage, steps.slice(0, 0, 3)));
    REQUIRE(extend(*storage, steps.slice(0, 3, 1)));  // continues the call before
    REQUIRE(extend(*storage, steps.slice(0, 4, 1)));  // does not
    const std::vector<std::string> keys = {"observation", "next.observation", "next.truncated", "is_init"};
    Rollout rollout = *Rollout::make(*storage, keys, "objective test", 5);
    rollout.assemble(storage->slot_back(5), 5);
    const auto floats = [&](std::size_t i) {
        const auto* const first = rollout.views()[i].as<float>();
        return std::vector<float>(first, first + 5);
    };
    const auto flags = [&](std::size_t i) {
        const auto* const first = rollout.views()[i].as<std::uint8_t>();
        return std::vector<int>(first, first + 5);
    };
    CHECK(floats(0) == std::vector<float>{0, 1, 7, 8, 20});
    CHECK(floats(1) == std::vector<float>{1, 2, 8, 9, 21});
    CHECK(flags(2) == std::vector<int>{0, 1, 0, 1, 0});
    CHECK(flags(3) == std::vector<int>{1, 0, 1, 0, 1});
}

TEST_CASE("each lane's episode ends where any of the lane's own observations does not continue") {
    Batch steps(Shape{2, 5});
    const auto fill = [&](const char* key, const std::vector<float>& values) {
        std::ranges::copy(values, steps.add(key, DType::kF32, {})->as<float>());
    };
    fill("observation", {0, 1, 2, 3, 4, /**/ 0, 1, 7, 8, 20});
    fill("next.observation", {1, 2, 3, 4, 5, /**/ 1, 2, 8, 9, 21});
    fill("target", {6, 6, 6, 6, 7, /**/ 6, 6, 6, 6, 6});
    fill("next.target", {6, 6, 6, 6, 7, /**/ 6, 6, 6, 6, 6});
    REQUIRE(steps.add("next.terminated", DType::kBool, {}));
    REQUIRE(steps.add("next.truncated", DType::kBool, {}));
    steps.find("next.truncated")->as<std::uint8_t>()[2] = 1;  // of the first lane, which observes no break there
    Result<Storage> storage = Storage::make(*columns_for(steps), 8, 2);
    REQUIRE(storage);
    REQUIRE(extend(*storage, steps));
    const auto lane_of = [](const std::uint8_t* flags, std::uint32_t lane) {
        std::vector<int> out;
        for (std::uint32_t slot = 0; slot < 5; ++slot) {
            out.push_back(flags[slot * 2 + lane]);
        }
        return out;
    };
    const auto* const begins = storage->find("is_init")->view.as<std::uint8_t>();
    CHECK(lane_of(storage->flags().truncated, 0) == std::vector<int>{0, 0, 1, 1, 0});
    CHECK(lane_of(begins, 0) == std::vector<int>{1, 0, 0, 1, 1});
    CHECK(lane_of(storage->flags().truncated, 1) == std::vector<int>{0, 1, 0, 1, 0});
    CHECK(lane_of(begins, 1) == std::vector<int>{1, 0, 1, 0, 1});
    CHECK(std::ranges::count(std::span(storage->flags().terminated, 10), 1) == 0);
}

TEST_CASE("a step that says that it begins an episode does, whatever it observes") {
    Batch steps = counted({0, 1, 2}, {1, 2, 3});
    REQUIRE(steps.add("is_init", DType::kBool, {}));
    steps.find("is_init")->as<std::uint8_t>()[2] = 1;
    Result<Storage> storage = Storage::make(*columns_for(steps), 8, 1);
    REQUIRE(storage);
    REQUIRE(extend(*storage, steps));
    CHECK(storage->flags().truncated[0] == 0);
    CHECK(storage->flags().truncated[1] == 1);
    CHECK(storage->flags().truncated[2] == 0);
}

TEST_CASE("steps that do not fit are refused, and nothing is appended") {
    test::World world(1, 6, 2, 3);
    for (int i = 0; i < 4; ++i) {
        world.step();
    }
    const Batch steps = steps_of(world, 4);
    Result<Storage> storage = Storage::make(*columns_for(steps), 8, 2);
    REQUIRE(storage);
    const auto refusal = [&](const Batch& batch) {
        const Status done = extend(*storage, batch);
        REQUIRE_FALSE(done);
        CHECK(storage->view().appended == 0);
        return done.error().sentence;
    };
    CHECK_THAT(refusal(steps.index(0, 0)), ContainsSubstring("steps for 2 lanes must be [2, time], but they are [4]"));
    CHECK_THAT(refusal(*transpose(steps, 0, 1)), ContainsSubstring("but they are [4, 2]"));
    const std::vector<std::string_view> action = {"action"};
    CHECK_THAT(refusal(*exclude(steps, action)), ContainsSubstring("no column 'action', which the buffer stores"));
    Batch more = steps;
    REQUIRE(more.add("rewards", DType::kF32, {}));
    CHECK_THAT(refusal(more), ContainsSubstring("a column 'rewards', which the buffer does not store"));
    Batch typed = *exclude(steps, action);
    REQUIRE(typed.add("action", DType::kI32, {2}));
    CHECK_THAT(refusal(typed), ContainsSubstring("'action' is int32 [2] in the steps, but int64 [] in the buffer"));
    Batch begins = steps;
    REQUIRE(begins.add("is_init", DType::kF32, {}));
    CHECK_THAT(refusal(begins),
               ContainsSubstring("'is_init' must have one bool for each step, but it is float32 [] a step"));

    const std::vector<std::string_view> flag = {"next.terminated"};
    CHECK_THAT(columns_for(*exclude(steps, flag)).error().sentence,
               ContainsSubstring("need a column 'next.terminated'"));
    Batch reserved = steps;
    REQUIRE(reserved.add("weight", DType::kF32, {}));
    CHECK_THAT(columns_for(reserved).error().sentence, ContainsSubstring("'weight' cannot be stored"));
}

}  // namespace

}  // namespace extend_test
