// SPDX-License-Identifier: Apache-2.0
#include "experience/env/procedural.hpp"

#include "support/catch.hpp"
#include "unit/data/memory_stream.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_policy.hpp"

namespace procedural_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a policy writes the head's actions of all lanes, whatever the threads") {
    const unsigned threads = GENERATE(1U, 3U);
    constexpr std::uint32_t kLanes = 200;
    Pool pool(threads);
    test::FakeEnv env(kLanes);
    test::FakePolicy policy;
    Result<Lanes> lanes = Lanes::make(env.callee(), {}, kLanes, pool);
    REQUIRE(lanes);
    Result<ProceduralPolicy> actor = ProceduralPolicy::make(policy.callee(), lanes->specs(), pool);
    REQUIRE(actor);
    CHECK_FALSE(actor->act(TN_ACT_SAMPLE, {1, 2}, 0));
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 4, kLanes);
    REQUIRE(lanes->bind(storage));
    REQUIRE(actor->bind(storage));
    CHECK(policy.column_count == 3);  // the env's two and is_init
    REQUIRE(lanes->reset(nullptr, nullptr));
    for (std::uint64_t t = 0; t < 10; ++t) {
        const std::uint32_t slot = storage.head();
        const std::int32_t mode = t == 5 ? TN_ACT_MODE : TN_ACT_SAMPLE;
        REQUIRE(actor->act(mode, {1, 2}, t));
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const float x = *static_cast<float*>(row_at(storage.find("observation")->view, slot, lane));
            REQUIRE(*static_cast<std::int64_t*>(row_at(storage.find("action")->view, slot, lane)) ==
                    (t == 5 ? 1 : test::FakePolicy::action({1, 2}, t, lane, x)));
        }
        REQUIRE(lanes->step());
    }
}

TEST_CASE("a policy that fails is named, whether wired or acting") {
    Pool pool(2);
    test::FakeEnv env(200);
    test::FakePolicy policy;
    const Result<ProceduralPolicy> none = ProceduralPolicy::make(policy.callee(), Composite{}, pool);
    REQUIRE_FALSE(none);
    CHECK_THAT(none.error().sentence, ContainsSubstring("fake/policy"));
    Result<ProceduralPolicy> actor = ProceduralPolicy::make(policy.callee(), env.specs, pool);
    REQUIRE(actor);
    Storage storage = *Storage::make(storage_columns(env.specs), 4, 200);
    REQUIRE(actor->bind(storage));
    policy.fails_lane = 199;
    const Status status = actor->act(TN_ACT_SAMPLE, {1, 2}, 0);
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, ContainsSubstring("fake/policy") && ContainsSubstring("act"));
    policy.fails_lane = ~0U;
    CHECK(actor->act(TN_ACT_SAMPLE, {1, 2}, 0));
}

TEST_CASE("what a policy keeps is saved for the lanes that still run, by name") {
    Pool pool(1);
    test::FakeEnv env(4);
    test::FakePolicy policy;
    policy.keeps_state = true;
    Result<ProceduralPolicy> actor = ProceduralPolicy::make(policy.callee(), env.specs, pool);
    REQUIRE(actor);
    test::MemoryStream stream;
    CHECK_FALSE(actor->save(stream.writer()));
    CHECK_FALSE(actor->load(stream.reader()));
    Storage storage = *Storage::make(storage_columns(env.specs), 4, 4);
    REQUIRE(actor->bind(storage));
    storage.park(1);
    policy.acted = {3, 1, 4, 1};
    REQUIRE(actor->save(stream.writer()));
    policy.acted = {0, 0, 0, 0};
    REQUIRE(actor->load(stream.reader()));
    CHECK(policy.acted == std::vector<std::uint32_t>{3, 0, 4, 1});

    test::FakePolicy other;
    Result<ProceduralPolicy> forgetful = ProceduralPolicy::make(other.callee(), env.specs, pool);
    REQUIRE(forgetful);
    REQUIRE(forgetful->bind(storage));
    test::MemoryStream again;
    again.data = stream.data;
    const Status refused = forgetful->load(again.reader());
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().sentence, ContainsSubstring("fake/policy (which saves none)"));
}

}  // namespace

}  // namespace procedural_test
