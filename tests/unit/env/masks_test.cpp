// SPDX-License-Identifier: Apache-2.0
// A run ends before anybody has to act under a mask that allows nothing.
#include <cstring>
#include <functional>

#include "base/random/key.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"

namespace masks_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

constexpr std::uint32_t kLanes = 70;

// An env that leaves its mask to the test.
struct Run {
    explicit Run(const std::function<void(Composite&)>& add = nullptr) : env(kLanes), pool(2) {
        Spec mask = test::spec("action_mask", Role::kObservation, DType::kBool, {3});
        mask.kind = SpecKind::kBinary;
        env.specs.specs.push_back(mask);
        if (add) {
            add(env.specs);
        }
        Result<Lanes> made = Lanes::make(env.callee(), {}, kLanes, pool);
        REQUIRE(made);
        lanes = std::make_unique<Lanes>(*std::move(made));
        storage = std::make_unique<Storage>(*Storage::make(storage_columns(lanes->specs()), 4, kLanes));
        REQUIRE(lanes->bind(*storage));
        column = storage->find("action_mask");
        for (std::uint32_t slot = 0; slot < 4; ++slot) {
            allow(column->view, slot, 1);
            allow(column->final, slot, 1);
        }
    }
    static void allow(const View& view, std::uint32_t slot, int last) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint8_t row[3] = {0, 0, static_cast<std::uint8_t>(last)};
            std::memcpy(row_at(view, slot, lane), row, sizeof row);
        }
    }
    Status reset() { return lanes->reset(nullptr, lane_seeds(make_key(3, "env"), kLanes).data()); }
    Status step() {
        test::put_actions(*storage, time++);
        return lanes->step();
    }
    void forbid(const View& view, std::uint32_t slot, std::uint32_t lane) {
        std::memset(row_at(view, slot, lane), 0, 3);
    }
    test::FakeEnv env;
    Pool pool;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<Storage> storage;
    const StorageColumn* column = nullptr;
    std::uint64_t time = 0;
};

TEST_CASE("a mask that allows nothing after a reset or a step ends the run by name") {
    for (const bool at_reset : {true, false}) {
        Run run;
        if (!at_reset) {
            REQUIRE(run.reset());
        }
        run.forbid(run.column->view, at_reset ? 0 : 1, 66);
        const Status status = at_reset ? run.reset() : run.step();
        REQUIRE_FALSE(status);
        CHECK(status.error().fault == Fault::kPlugin);
        CHECK_THAT(status.error().sentence,
                   ContainsSubstring("fake/Env: the column 'action_mask' allows no 'action' in lane 66"));
    }
}

TEST_CASE("an agent that is present must have a choice, one that is absent need not") {
    for (const bool present : {true, false}) {
        CAPTURE(present);
        Run run([](Composite& specs) {
            const auto of_agents = [&](const char* key, Role role, SpecKind kind, DType dtype, const Shape& shape) {
                Spec one = test::spec(key, role, dtype, shape);
                one.kind = kind;
                one.group = "agents";
                specs.specs.push_back(one);
            };
            of_agents("agents.pick", Role::kAction, SpecKind::kCategorical, DType::kI64, {2});
            specs.specs.back().categories = {3};
            of_agents("agents.pick_mask", Role::kObservation, SpecKind::kBinary, DType::kBool, {2, 3});
            of_agents("agents.present", Role::kObservation, SpecKind::kBinary, DType::kBool, {2});
        });
        const View& masks = run.storage->find("agents.pick_mask")->view;
        const View& presence = run.storage->find("agents.present")->view;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            std::memset(row_at(masks, 0, lane), 1, 6);
            std::memset(row_at(presence, 0, lane), 1, 2);
        }
        std::memset(static_cast<std::byte*>(row_at(masks, 0, 66)) + 3, 0, 3);
        std::memset(static_cast<std::byte*>(row_at(presence, 0, 66)) + 1, present ? 1 : 0, 1);
        const Status status = run.reset();
        REQUIRE(status.has_value() == !present);
        if (!status) {
            CHECK_THAT(status.error().sentence,
                       ContainsSubstring("the column 'agents.pick_mask' allows no 'agents.pick' of agent 1 in lane 66; "
                                         "terminate an episode that has no possible action, or let one action do "
                                         "nothing"));
        }
    }
}

TEST_CASE("a lane that was given up needs no mask") {
    Run run;
    run.env.breaks_lane = 66;
    REQUIRE(run.reset());
    for (int t = 0; t < 8; ++t) {
        if (t > 3) {
            run.forbid(run.column->view, run.storage->slot_after(run.storage->head()), 66);
        }
        REQUIRE(run.step());
    }
}

TEST_CASE("the mask of an episode's end counts where it was truncated, not where it terminated") {
    Run run;
    REQUIRE(run.reset());
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        Run::allow(run.column->final, slot, 0);
    }
    bool terminated = false;
    for (int t = 0; t < 7; ++t) {
        const std::uint32_t slot = run.storage->head();
        const Status status = run.step();
        bool truncated = false;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t at = std::size_t{slot} * kLanes + lane;
            truncated =
                truncated || (run.storage->flags().truncated[at] != 0 && run.storage->flags().terminated[at] == 0);
            terminated = terminated || run.storage->flags().terminated[at] != 0;
        }
        REQUIRE(status.has_value() == !truncated);
        if (truncated) {
            CHECK(terminated);
            return;
        }
    }
    FAIL("no episode was truncated");
}

}  // namespace

}  // namespace masks_test
