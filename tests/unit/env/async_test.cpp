// SPDX-License-Identifier: Apache-2.0
// Lanes of an env that answers later: who is submitted comes back once, as the env says, with the step that it would
// have made with all others.
#include <algorithm>
#include <numeric>

#include "experience/env/lanes.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_run.hpp"

namespace async_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using List = std::vector<std::uint32_t>;

// Steps the lanes that the test says are ready, in the poll that reports them.
struct LaterEnv : test::FakeEnv {
    using FakeEnv::FakeEnv;

    List under_way;
    List ready;          // the test's wish
    List claimed;        // reported without a step
    bool alone = false;  // with these options lanes step together

    Callee<tn_env_api> callee() {
        static constexpr tn_env_async_api kAsync = {sizeof(tn_env_async_api), 0, describe_later, submit, poll};
        Callee<tn_env_api> out = FakeEnv::callee();
        step_ = out.api->step;
        out.self = static_cast<FakeEnv*>(this);
        out.async = &kAsync;
        return out;
    }

private:
    tn_status (*step_)(void*, const tn_env_step*) = nullptr;

    static LaterEnv& of(void* self) { return static_cast<LaterEnv&>(*static_cast<FakeEnv*>(self)); }
    static tn_status describe_later(void* self, tn_env_async_info* info) {
        info->at_once = 3;
        constexpr std::string_view kWhy = "its lanes share a clock";
        keep_error(of(self).alone ? tn_str{kWhy.data(), kWhy.size()} : tn_str{nullptr, 0});
        return of(self).alone ? TN_UNAVAILABLE : TN_OK;
    }
    static tn_status submit(void* self, const tn_env_submit* call) {
        of(self).under_way.insert(of(self).under_way.end(), call->lanes, call->lanes + call->count);
        return TN_OK;
    }
    static tn_status poll(void* self, tn_env_poll* call) {
        LaterEnv& env = of(self);
        for (const std::uint32_t lane : env.ready) {
            const tn_env_step step{sizeof step, call->slot, call->next_slot, lane, 1, 0};
            if (const tn_status done = env.step_(self, &step); done != TN_OK) {
                return done;
            }
            call->lanes[call->count++] = lane;
        }
        for (const std::uint32_t lane : env.claimed) {
            call->lanes[call->count++] = lane;
        }
        env.ready.clear();
        return TN_OK;
    }
};

// Six lanes on a desk of two slots, after their reset.
struct Desk {
    explicit Desk(const std::function<void(LaterEnv&)>& change = [](LaterEnv&) {}) : env(6), pool(1) {
        change(env);
        Result<Lanes> made = Lanes::make(env.callee(), {}, 6, pool);
        REQUIRE(made);
        lanes = std::make_unique<Lanes>(*std::move(made));
        storage = std::make_unique<Storage>(*Storage::make(storage_columns(lanes->specs()), 2, 6));
        REQUIRE(lanes->bind(*storage));
        REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), 6).data()));
    }
    void submit(const List& which) {
        test::put_actions(*storage, 0);
        REQUIRE(lanes->submit(which));
    }
    Lanes::Arrived poll(const List& ready) {
        env.ready = ready;
        Lanes::Arrived out;
        const Status polled = lanes->poll(1, 0, out);
        REQUIRE(polled);
        return out;
    }
    [[nodiscard]] float observed(std::uint32_t slot, std::uint32_t lane) const {
        return *static_cast<float*>(row_at(storage->find("observation")->view, slot, lane));
    }

    LaterEnv env;
    Pool pool;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<Storage> storage;
};

TEST_CASE("lanes come back as they are ready, and only their rows are written") {
    Desk desk;
    REQUIRE(desk.lanes->answers_later());
    CHECK(*desk.lanes->answers_later() == 3);
    desk.submit({0, 1, 2, 3, 4, 5});
    CHECK(desk.env.under_way == List{0, 1, 2, 3, 4, 5});
    CHECK(desk.poll({4, 1}).stepped == List{1, 4});
    CHECK(desk.lanes->under_way() == 4);
    CHECK(desk.observed(1, 1) == 1.0F);
    CHECK(desk.observed(1, 0) == 0.0F);
    CHECK(desk.env.stepped == List{0, 1, 0, 0, 1, 0});
    desk.submit({1, 4});
    CHECK(desk.poll({1, 0}).stepped == List{0, 1});
    CHECK(desk.poll({}).stepped.empty());
    CHECK(desk.storage->head() == 0);
    const auto action = *static_cast<std::int64_t*>(row_at(desk.storage->find("action")->view, 0, 1));
    CHECK(desk.lanes->rewards()[1] == 2.0 + 100.0 * static_cast<double>(action));
}

TEST_CASE("a lane that is lost on its way begins an episode and does not repeat the step") {
    Desk desk([](LaterEnv& env) {
        env.breaks_lane = 2;
        env.breaks_with = TN_LOST;
    });
    for (int step = 0; step < 2; ++step) {
        desk.submit({2, 3});
        CHECK(desk.poll({2, 3}).stepped == List{2, 3});
    }
    const std::uint64_t episode = desk.env.lanes[2].episode;
    desk.submit({2, 3});
    const Lanes::Arrived arrived = desk.poll({2, 3});
    CHECK(arrived.stepped == List{3});
    CHECK(arrived.begun == List{2});
    CHECK(desk.lanes->lost()[2] == 1);
    CHECK(desk.env.lanes[2].episode == episode + 1);
    CHECK(desk.observed(0, 2) == 0.0F);
    CHECK(desk.lanes->running() == 6);
    CHECK(desk.lanes->take_notices().size() == 1);
}

TEST_CASE("a lane that breaks on its way is parked, and the others go on") {
    Desk desk([](LaterEnv& env) { env.breaks_lane = 2; });
    for (int step = 0; step < 2; ++step) {
        desk.submit({2});
        CHECK(desk.poll({2}).stepped == List{2});
    }
    desk.submit({2, 5});
    CHECK(desk.poll({2, 5}).stepped == List{5});
    CHECK(desk.lanes->running() == 5);
    const Problems warnings = desk.lanes->take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0].sentence, ContainsSubstring("lane 2 is parked") && ContainsSubstring("the wheels came off"));
}

TEST_CASE("an env that reports a lane that is not under way ends the run") {
    Desk desk;
    desk.submit({0, 1});
    desk.env.claimed = {3};
    Lanes::Arrived out;
    const Status polled = desk.lanes->poll(1, 0, out);
    REQUIRE_FALSE(polled);
    CHECK(polled.error().sentence == "fake/Env: poll reports lane 3, which is not under way");
}

TEST_CASE("an env may say that with its options lanes step together") {
    Desk desk([](LaterEnv& env) { env.alone = true; });
    const Result<std::uint32_t> later = desk.lanes->answers_later();
    REQUIRE_FALSE(later);
    CHECK(later.error().sentence == "fake/Env cannot answer later because its lanes share a clock");
}

}  // namespace

}  // namespace async_test
