// SPDX-License-Identifier: Apache-2.0
// Tasks side by side: each steps its own lanes as if it were alone, and what goes wrong is that task's.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random/key.hpp"
#include "experience/env/env_tasks.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "plugins/plugin/error_text.hpp"
#include "support/catch.hpp"
#include "tenon/abi/render.h"
#include "unit/env/fake_env.hpp"

namespace tasks_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

constexpr std::uint32_t kTaskSlots = 6;

struct DrawnEnv : test::FakeEnv {
    using FakeEnv::FakeEnv;
    std::uint32_t height = 1;
    std::uint32_t width = 1;
    double steps_per_second = 0;
    const char* cannot_draw = nullptr;  // why
};

const DrawnEnv& drawn(const void* self) {
    return static_cast<const DrawnEnv&>(*static_cast<const test::FakeEnv*>(self));
}

// The first point of a picture: how many lanes the env has, and which of them it is.
constexpr tn_render_api kRender{.struct_size = sizeof(tn_render_api),
                                .flags = 0,
                                .describe = [](void* self, tn_picture_info* info) -> tn_status {
                                    const DrawnEnv& env = drawn(self);
                                    if (env.cannot_draw != nullptr) {
                                        const std::string_view why = env.cannot_draw;
                                        keep_error({why.data(), why.size()});
                                        return TN_UNAVAILABLE;
                                    }
                                    info->height = env.height;
                                    info->width = env.width;
                                    info->steps_per_second = env.steps_per_second;
                                    return TN_OK;
                                },
                                .draw = [](void* self, std::uint32_t lane, std::uint8_t* pixels) -> tn_status {
                                    pixels[0] = static_cast<std::uint8_t>(drawn(self).lanes.size());
                                    pixels[1] = static_cast<std::uint8_t>(lane);
                                    return TN_OK;
                                }};

struct TaskRig {
    explicit TaskRig(const std::vector<std::uint32_t>& lanes_of_tasks) {
        for (const std::uint32_t count : lanes_of_tasks) {
            envs.push_back(std::make_unique<DrawnEnv>(count));
        }
    }

    Result<std::unique_ptr<EnvTasks>> join(const std::string& column) {
        EnvTasks::Parts parts{.tasks = {},
                              .column = column,
                              .categories = static_cast<std::uint32_t>(envs.size()),
                              .name = "fake/Env",
                              .place = {}};
        for (std::size_t i = 0; i < envs.size(); ++i) {
            const Callee<tn_env_api> callee = envs[i]->callee();
            const auto interface = [callee](const char* id) -> const void* {
                const std::string_view asked(id);
                return asked == "tenon.env/1"      ? static_cast<const void*>(callee.api)
                       : asked == "tenon.state/1"  ? static_cast<const void*>(callee.state)
                       : asked == "tenon.render/1" ? static_cast<const void*>(&kRender)
                                                   : nullptr;
            };
            const std::string name = "task" + std::to_string(i);
            parts.tasks.push_back(
                {.name = name,
                 .number = static_cast<std::uint32_t>(i),
                 .env = Instance("fake/" + name, {}, {.self = callee.self, .interface = interface, .destroy = {}}),
                 .lanes = static_cast<std::uint32_t>(envs[i]->lanes.size())});
        }
        return EnvTasks::make(std::move(parts));
    }

    void start(const std::string& column, unsigned threads = 1) {
        pool = std::make_unique<Pool>(threads);
        const auto count = std::accumulate(
            envs.begin(), envs.end(), std::uint32_t{0},
            [](std::uint32_t sum, const auto& env) { return sum + static_cast<std::uint32_t>(env->lanes.size()); });
        Result<std::unique_ptr<EnvTasks>> joined = join(column);
        REQUIRE(joined);
        Result<Lanes> made = Lanes::make(std::move(*joined), {}, {}, count, *pool);
        REQUIRE(made);
        lanes.emplace(std::move(*made));
        Result<Storage> memory = Storage::make(storage_columns(lanes->specs()), kTaskSlots, count);
        REQUIRE(memory);
        storage.emplace(std::move(*memory));
        REQUIRE(lanes->bind(*storage));
        REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(5, "tasks"), count).data()));
    }

    Status step() {
        test::put_actions(*storage, steps++);
        return lanes->step();
    }

    std::vector<std::unique_ptr<DrawnEnv>> envs;
    std::unique_ptr<Pool> pool;
    std::optional<Lanes> lanes;
    std::optional<Storage> storage;
    std::uint64_t steps = 0;
};

float seen_at(const Storage& storage, std::uint32_t slot, std::uint32_t lane, int i) {
    return static_cast<const float*>(row_at(storage.find("observation")->view, slot, lane))[i];
}

}  // namespace

TEST_CASE("lanes of tasks step as the lanes of one env do, and a column says which task each has") {
    for (const unsigned threads : {1U, 2U}) {
        TaskRig tasks({40, 1, 59});
        TaskRig alone({100});
        tasks.start("task", threads);
        alone.start("");
        CHECK(alone.lanes->specs().find("task") == nullptr);
        const Spec* const column = tasks.lanes->specs().find("task");
        REQUIRE(column != nullptr);
        CHECK(column->categories == std::vector<std::int64_t>{3});
        for (int t = 0; t < 25; ++t) {
            REQUIRE(tasks.step());
            REQUIRE(alone.step());
            const std::uint32_t slot = tasks.storage->head();
            const std::uint32_t before = tasks.storage->slot_before(slot);
            for (std::uint32_t lane = 0; lane < 100; ++lane) {
                REQUIRE(seen_at(*tasks.storage, slot, lane, 0) == seen_at(*alone.storage, slot, lane, 0));
                REQUIRE(seen_at(*tasks.storage, slot, lane, 1) == seen_at(*alone.storage, slot, lane, 1));
                const std::int64_t task = lane < 40 ? 0 : lane == 40 ? 1 : 2;
                const StorageColumn& told = *tasks.storage->find("task");
                REQUIRE(*static_cast<const std::int64_t*>(row_at(told.view, slot, lane)) == task);
                REQUIRE(*static_cast<const std::int64_t*>(row_at(told.final, before, lane)) == task);
            }
            REQUIRE(std::ranges::equal(tasks.lanes->rewards(), alone.lanes->rewards()));
        }
    }
}

TEST_CASE("what a task does wrong is its own") {
    TaskRig tasks({2, 3});
    tasks.envs[1]->breaks_lane = 1;
    tasks.start("");
    REQUIRE(tasks.step());
    REQUIRE(tasks.step());
    REQUIRE(tasks.step());
    const Problems warnings = tasks.lanes->take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].sentence == "fake/task1: lane 3 is parked and its frames are left out: the wheels came off");
    tasks.envs[1]->fails_lane = 0;
    CHECK_THAT(tasks.step().error().sentence, ContainsSubstring("fake/task1, step"));
}

TEST_CASE("a lane is drawn by its task, which has its own numbers of lanes") {
    TaskRig tasks({2, 3});
    tasks.start("");
    REQUIRE(tasks.step());
    for (std::uint32_t lane = 0; lane < 5; ++lane) {
        std::vector<std::uint8_t> pixels(3);
        REQUIRE(tasks.lanes->draw(lane, pixels));
        CHECK(pixels[0] == (lane < 2 ? 2 : 3));
        CHECK(pixels[1] == (lane < 2 ? lane : lane - 2));
    }
}

TEST_CASE("pictures of tasks have one size and the clock of the first, or none is drawn") {
    TaskRig tasks({1, 1, 1});
    for (const auto& env : tasks.envs) {
        env->height = 3;
        env->width = 4;
    }
    tasks.envs[0]->steps_per_second = 30;
    tasks.envs[2]->steps_per_second = 50;
    tasks.start("");
    const Result<Lanes::Pictures> pictures = tasks.lanes->pictures();
    REQUIRE(pictures);
    CHECK(pictures->height == 3);
    CHECK(pictures->width == 4);
    CHECK(pictures->steps_per_second == 30);
    const auto refusal = [&] {
        const Result<Lanes::Pictures> refused = tasks.lanes->pictures();
        REQUIRE_FALSE(refused);
        return refused.error();
    };
    for (const std::size_t task : {0U, 1U, 2U}) {
        CAPTURE(task);
        DrawnEnv& env = *tasks.envs[task];
        env.cannot_draw = "there is no screen";
        CHECK_THAT(refusal().sentence, ContainsSubstring("there is no screen"));
        CHECK(refusal().fault == Fault::kEnvironment);
        env.cannot_draw = nullptr;
        for (std::uint32_t* const size : {&env.height, &env.width}) {
            ++*size;
            CHECK_THAT(refusal().sentence, ContainsSubstring("the pictures of its tasks have different sizes"));
            --*size;
        }
    }
    CHECK(tasks.lanes->pictures());
}

TEST_CASE("of several tasks only one may want all lanes in a call") {
    TaskRig tasks({3, 3});
    tasks.envs[0]->all_lanes = true;
    tasks.envs[0]->breaks_lane = 2;
    tasks.envs[1]->breaks_lane = 0;
    tasks.start("");
    for (int t = 0; t < 6; ++t) {
        REQUIRE(tasks.step());
    }
    CHECK(tasks.envs[0]->counts == std::vector<std::uint32_t>(6, 3));
    CHECK(tasks.envs[0]->stepped == std::vector<std::uint32_t>{6, 6, 3});
    CHECK(tasks.envs[1]->stepped == std::vector<std::uint32_t>{3, 6, 6});
}

TEST_CASE("bounds of observations are those that hold for all tasks; other columns must be equal") {
    TaskRig tasks({1, 1, 1});
    const auto bounded = [&](std::size_t task, std::vector<double> low, std::vector<double> high) {
        Spec& spec = tasks.envs[task]->specs.specs[0];
        spec.kind = SpecKind::kBounded;
        spec.low = std::move(low);
        spec.high = std::move(high);
    };
    bounded(0, {-1}, {1});
    bounded(1, {-2, 0}, {0.5, 3});
    bounded(2, {-1}, {2});
    Pool pool(1);
    const auto joined = [&] {
        Result<std::unique_ptr<EnvTasks>> made = tasks.join("");
        REQUIRE(made);
        return describe_env((*made)->callee())->specs.specs[0];
    };
    CHECK(joined().low == std::vector<double>{-2, -1});
    CHECK(joined().high == std::vector<double>{2, 3});
    tasks.envs[2]->specs.specs[0].kind = SpecKind::kUnbounded;
    tasks.envs[2]->specs.specs[0].low.clear();
    tasks.envs[2]->specs.specs[0].high.clear();
    CHECK(joined().kind == SpecKind::kUnbounded);
    tasks.envs[1]->specs.specs[1].categories = {4};
    const Problem different = tasks.join("").error();
    CHECK(different.sentence ==
          "the tasks of an env must have the same columns, but 'action' is int64, 3 categories for task 'task0' but "
          "int64, 4 categories for task 'task1'");
    CHECK_THAT(TaskRig({1, 1}).join("lives").error().sentence, ContainsSubstring("already has a column 'lives'"));
}

}  // namespace tasks_test
