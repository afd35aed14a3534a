// SPDX-License-Identifier: Apache-2.0
// Steps, acts and samples allocate nothing once warm.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "support/env_rig.hpp"
#include "support/policy_rig.hpp"
#include "support/sampler_rig.hpp"
#include "support/wrapper_rig.hpp"
#include "tenon/env.hpp"
#include "tenon/policy.hpp"
#include "tenon/sampler.hpp"
#include "tenon/wrapper.hpp"

namespace allocation_test {

namespace {

using tenon::test::all_allocations;

struct Walk {
    static constexpr std::int64_t max_episode_steps = 7;
    double place = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    void reset(tenon::Rng& rng, std::span<float> observation) {
        place = rng.normal();
        observation[0] = static_cast<float>(place);
    }
    tenon::StepResult step(std::int64_t action, std::span<float> observation) {
        place += action == 1 ? 1 : -1;
        observation[0] = static_cast<float>(place);
        return {.reward = place, .terminated = place > 3};
    }
};

struct Fall {
    using State = std::array<tenon::Pack, 1>;
    static constexpr std::int64_t max_episode_steps = 7;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    static void reset(tenon::Rng& rng, std::span<double, 1> state) { state[0] = rng.normal(); }
    static tenon::PackResult step(State& state, tenon::Pack action) {
        state[0] = state[0] + where(action == 1, 1, -1);
        return {.reward = state[0], .terminated = state[0] > 3};
    }
};

// Begins with a random step and ends early at random.
struct Restless {
    std::int64_t steps = 2;
    struct Lane {
        bool has_begun = false;
    };
    static bool begin(Lane& lane, const tenon::WrapperRow& row, tenon::Rng& rng) {
        lane.has_begun = !row.begins();
        return !lane.has_begun && rng.chance(0.5);
    }
    static void step(const tenon::WrapperRow& row, tenon::Rng& rng) {
        if (rng.chance(0.01)) {
            row.truncate();
        }
    }
};

struct Coin {
    static void act(tenon::Rng& rng, const tenon::PolicyRow& row) {
        row.action<std::int64_t>()[0] = static_cast<std::int64_t>(rng.below(2));
    }
};

struct Any {
    static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }
    static void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        rows.set(0, buffer.at(rng.below(buffer.size())));
    }
};

}  // namespace

TEST_CASE("nothing is allocated in steps and acts") {
    tenon::test::EnvRig env(tenon::env<Walk>("Walk-v0", "walks"), 4, 2);
    tenon::test::PolicyRig policy(tenon::policy<Coin>("coin", "tosses"), {tenon::categorical("action", 2)}, 4, 2);
    env.reset({1, 2, 3, 4});
    auto* const action = &env.columns.at<std::int64_t>("action", 0, 0);
    const auto* const drawn = &policy.columns.at<std::int64_t>("action", 0, 0);
    bool fine = true;
    const std::uint64_t before = all_allocations();
    for (std::uint64_t step = 0; step < 10000; ++step) {
        fine = fine && policy.act(0, 0, 4, step) == TN_OK;
        for (std::size_t lane = 0; lane < 4; ++lane) {
            action[2 * lane] = drawn[2 * lane];  // a canary stands between any two
        }
        fine = fine && env.step(0, 0) == TN_OK;
    }
    const std::uint64_t during = all_allocations() - before;
    CHECK(fine);
    CHECK(during == 0);
    CHECK(env.lane_status == std::vector<std::uint8_t>(4, 0));
}

TEST_CASE("nothing is allocated in steps of packs") {
    constexpr std::uint32_t kLanes = tenon::kPackLanes + 1;
    tenon::test::EnvRig env(tenon::env<Fall>("Fall-v0", "falls"), kLanes, 2);
    env.reset(std::vector<std::uint64_t>(kLanes, 1));
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        env.columns.at<std::int64_t>("action", 0, lane) = lane % 2;
    }
    bool fine = true;
    const std::uint64_t before = all_allocations();
    for (int step = 0; step < 1000; ++step) {
        fine = fine && env.step(0, 0) == TN_OK;
    }
    CHECK(all_allocations() - before == 0);
    CHECK(fine);
    CHECK(env.lane_status == std::vector<std::uint8_t>(kLanes, 0));
}

TEST_CASE("nothing is allocated in samples") {
    tenon::test::SamplerRig rig(tenon::sampler<Any>("any", "any of them"));
    const std::vector<std::uint32_t> first = {0, 1};
    const std::vector<std::uint32_t> count = {3, 4};
    REQUIRE(rig.sample(first, count, 1) == TN_OK);
    bool fine = true;
    const std::uint64_t before = all_allocations();
    for (std::uint64_t batch = 0; batch < 100; ++batch) {
        fine = fine && rig.sample(first, count, 1, batch) == TN_OK;
    }
    CHECK(all_allocations() - before == 0);
    CHECK(fine);
}

TEST_CASE("nothing is allocated in steps of a wrapper") {
    tenon::test::WrapperRig rig(tenon::wrapper<Restless>("restless", "is"), tenon::env<Walk>("Walk-v0", "walks"), 4, 2);
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    auto* const action = &rig.columns.at<std::int64_t>("action", 0, 0);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            action[8 * i + 2 * lane] = 1;  // a canary stands between any two
        }
    }
    const std::uint8_t none[4] = {};
    bool fine = true;
    const std::uint64_t before = all_allocations();
    for (std::uint32_t t = 0; t < 10000; ++t) {
        const tn_env_step call = {
            .struct_size = sizeof call, .slot = t % 2, .next_slot = 1 - t % 2, .first = 0, .count = 4, .flags = 0};
        fine = fine && rig.api->step(rig.wrapper.self(), &call) == TN_OK;
        std::uint8_t mask[4];
        std::memcpy(mask, rig.needs_reset.data(), sizeof mask);
        std::memset(rig.needs_reset.data(), 0, sizeof mask);
        if (std::memcmp(mask, none, sizeof mask) != 0) {
            fine = fine && rig.api->reset(rig.wrapper.self(), 1 - t % 2, mask, nullptr) == TN_OK;
        }
    }
    CHECK(all_allocations() == before);
    CHECK(fine);
}

}  // namespace allocation_test
