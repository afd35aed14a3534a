// SPDX-License-Identifier: Apache-2.0
// The steady loop of acting, stepping, accounting, sampling and gathering allocates nothing.
#include "experience/env/episodes.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/rollout.hpp"
#include "experience/replay/sampler.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_policy.hpp"
#include "unit/env/fake_transform.hpp"

namespace allocation_test {

namespace {

using namespace tenon;

tn_status plan(void*, tn_sampler_info* info) {
    static constexpr tn_gather kAll = {sizeof(tn_gather), 0, {"*", 1}, {nullptr, 0}, 0, 0};
    static constexpr const tn_gather* kLines[] = {&kAll};
    info->array_count = 1;
    info->gathers = kLines;
    info->gather_count = 1;
    return TN_OK;
}

tn_status sample(void*, const tn_sample_call* call) {
    for (std::uint32_t row = 0; row < call->rows; ++row) {
        call->lanes[0][row] = row % call->view->lanes;
        call->slots[0][row] = call->view->first[row % call->view->lanes];
    }
    return TN_OK;
}

TEST_CASE("the counter sees what is allocated") {
    const std::uint64_t before = test::all_allocations();
    const auto number = std::make_unique<int>(3);
    const std::uint64_t after = test::all_allocations();
    CHECK(after > before);
    CHECK(*number == 3);
}

TEST_CASE("nothing is allocated once warm") {
    constexpr std::uint32_t kLanes = 200;
    constexpr std::uint32_t kRows = 64;
    const unsigned threads = GENERATE(1U, 2U);
    Pool pool(threads);
    test::FakeEnv env(kLanes);
    test::FakeTransform twice(test::FakeTransform::kTwice, kLanes);
    test::FakePolicy policy;
    Result<Lanes> lanes = Lanes::make(env.callee(), {twice.callee()}, kLanes, pool);
    REQUIRE(lanes);
    twice.events.reserve(10000);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), 16, kLanes);
    Result<ProceduralPolicy> actor = ProceduralPolicy::make(policy.callee(), lanes->specs(), pool);
    Episodes episodes(kLanes);
    static constexpr tn_sampler_api kApi = {sizeof(tn_sampler_api), 0, plan, sample, nullptr};
    Result<Sampler> sampler = Sampler::make(
        Callee<tn_sampler_api>{.api = &kApi, .self = nullptr, .name = "s", .place = {}, .state = nullptr}, kRows);
    const std::vector<std::string> keys = {"observation", "next.observation", "next.reward", "next.done"};
    REQUIRE(actor);
    REQUIRE(sampler);
    const Result<GatherPlan> gather = GatherPlan::make(storage, sampler->plan(), keys, "objective test");
    Result<Rollout> rollout = Rollout::make(storage, keys, "objective test", 8);
    REQUIRE(gather);
    REQUIRE(rollout);
    std::vector<Slab> slabs;
    std::vector<void*> destinations;
    for (const Port& port : gather->ports()) {
        slabs.push_back(*Slab::make(kRows * row_bytes(port)));
        destinations.push_back(slabs.back().data());
    }
    REQUIRE(lanes->bind(storage));
    REQUIRE(actor->bind(storage));
    REQUIRE(lanes->reset(nullptr, nullptr));
    bool good = true;
    const auto loop = [&](std::uint64_t t) {
        good = good && actor->act(TN_ACT_SAMPLE, {1, 2}, t) && lanes->step();
        episodes.record(storage, storage.slot_before(storage.head()), lanes->rewards());
        good = good && sampler->sample(storage, kRows, {3, 4}, t);
        gather->gather(sampler->sampled(), 0, kRows, destinations.data());
        rollout->assemble(storage.view().first[0], 1);
    };
    for (std::uint64_t t = 0; t < 50; ++t) {
        loop(t);
    }
    const std::uint64_t before = test::all_allocations();
    for (std::uint64_t t = 50; t < 500; ++t) {
        loop(t);
    }
    const std::uint64_t after = test::all_allocations();
    CHECK(after == before);
    CHECK(good);
    CHECK(episodes.finished() > 1000);
}

}  // namespace

}  // namespace allocation_test
