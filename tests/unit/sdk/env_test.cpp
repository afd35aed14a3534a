// SPDX-License-Identifier: Apache-2.0
// The single-env adapter: lanes, episodes, what it writes where.
#include "tenon/env.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"

namespace env_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::EnvRig;

namespace {

// Counts its steps up from a random start; action 1 ends the episode, the observation tells count and start.
struct Counter {
    std::int64_t max_episode_steps;
    std::int64_t count = 0;
    double start = 0;

    static constexpr auto options = std::tuple{
        tenon::option<&Counter::max_episode_steps>("max_episode_steps", 4, "[0,inf)", "time limit; 0: none")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {2})}, .actions = {tenon::categorical("action", 3)}};
    }
    void reset(tenon::Rng& rng, std::span<float> observation) {
        count = 0;
        start = rng.uniform();
        observe(observation);
    }
    tenon::StepResult step(std::int64_t action, std::span<float> observation) {
        ++count;
        observe(observation);
        if (action == 2) {
            throw std::runtime_error("the counter jammed");
        }
        return {.reward = 10.0 * static_cast<double>(count), .terminated = action == 1};
    }
    void observe(std::span<float> observation) const {
        observation[0] = static_cast<float>(count);
        observation[1] = static_cast<float>(start);
    }
};

// Draws a map that all lanes of an instance share.
struct Mapped {
    std::int64_t places;
    std::shared_ptr<const std::vector<float>> map = nullptr;
    static inline int maps_made = 0;

    static constexpr auto options = std::tuple{tenon::option<&Mapped::places>("places", 3, "[1,100]", "of the map")};

    void setup() {
        ++maps_made;
        map = std::make_shared<const std::vector<float>>(static_cast<std::size_t>(places), 7.0F);
    }
    void share(const Mapped& first) { map = first.map; }
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    void reset(std::span<float> observation) const { observation[0] = map->at(static_cast<std::size_t>(places - 1)); }
    static tenon::StepResult step(std::int64_t /*action*/) { return {}; }
    static void state(tenon::Archive& /*archive*/) {}
};

constexpr auto kCounter = tenon::env<Counter>("Counter-v0", "counts");

}  // namespace

TEST_CASE("lanes share what the first one has made") {
    Mapped::maps_made = 0;
    EnvRig rig(tenon::env<Mapped>("Mapped-v0", "shares a map"), 5, 1,
               [](auto& options) { options["places"].integer = 9; });
    CHECK(Mapped::maps_made == 1);
    rig.reset({1, 2, 3, 4, 5});
    for (std::uint32_t lane = 0; lane < 5; ++lane) {
        CHECK(rig.columns.at<float>("observation", 0, lane) == 7);
    }
}

TEST_CASE("an env says what it reads and writes") {
    EnvRig rig(kCounter, 2, 3);
    const tn_env_info info = rig.describe();
    REQUIRE(info.spec_count == 3);
    CHECK(info.specs[0]->role == TN_ROLE_OBSERVATION);
    CHECK(info.specs[1]->role == TN_ROLE_ACTION);
    CHECK(info.specs[2]->role == TN_ROLE_REWARD);
    CHECK(tenon::to_view(info.specs[2]->key) == "reward");
    CHECK(info.episode_limit == 4);
    CHECK(info.determinism == TN_DETERMINISM_BITS);
    CHECK(rig.instance.api<void>("tenon.env/2") == nullptr);
    CHECK(rig.instance.api<void>("tenon.env/1 ") == nullptr);
}

TEST_CASE("a step writes reward and flags at its slot and the observation at the next") {
    EnvRig rig(kCounter, 2, 3);
    rig.reset({11, 12});
    CHECK(rig.columns.at<float>("observation", 0, 1, 0) == 0);
    rig.columns.at<std::int64_t>("action", 0, 0) = 0;
    rig.columns.at<std::int64_t>("action", 0, 1) = 0;
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.columns.at<float>("reward", 0, 1) == 10);
    CHECK(rig.columns.at<float>("observation", 1, 1, 0) == 1);
    CHECK(!rig.columns.at<bool>("terminated", 0, 1));
    CHECK(!rig.columns.at<bool>("truncated", 0, 1));
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("an episode that ends leaves its last observation and begins the next") {
    EnvRig rig(kCounter, 2, 3);
    rig.reset({11, 12});
    const float first_start = rig.columns.at<float>("observation", 0, 0, 1);
    rig.columns.at<std::int64_t>("action", 0, 0) = 1;
    rig.columns.at<std::int64_t>("action", 0, 1) = 0;
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.columns.at<bool>("terminated", 0, 0));
    CHECK(!rig.columns.at<bool>("truncated", 0, 0));
    CHECK(rig.columns.at<float>("next.observation", 0, 0, 0) == 1);
    CHECK(rig.columns.at<float>("next.observation", 0, 0, 1) == first_start);
    CHECK(rig.columns.at<float>("observation", 1, 0, 0) == 0);
    CHECK(rig.columns.at<float>("observation", 1, 0, 1) != first_start);
    CHECK(!rig.columns.at<bool>("terminated", 0, 1));
    CHECK(rig.columns.at<float>("observation", 1, 1, 0) == 1);
}

TEST_CASE("the time limit truncates, counts anew after it, and may coincide with the end") {
    EnvRig rig(kCounter, 1, 9);
    rig.reset({11});
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        rig.columns.at<std::int64_t>("action", slot, 0) = slot == 7 ? 1 : 0;
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        CHECK(rig.columns.at<bool>("truncated", slot, 0) == (slot == 3 || slot == 7));
        CHECK(rig.columns.at<bool>("terminated", slot, 0) == (slot == 7));
    }
    CHECK(rig.columns.at<float>("next.observation", 3, 0, 0) == 4);
    CHECK(rig.columns.at<float>("observation", 4, 0, 0) == 0);
}

TEST_CASE("no limit where max_episode_steps is 0") {
    EnvRig rig(kCounter, 1, 2, [](auto& options) { options["max_episode_steps"].integer = 0; });
    CHECK(rig.describe().episode_limit == 0);
    rig.reset({1});
    rig.columns.at<std::int64_t>("action", 0, 0) = 0;
    for (int i = 0; i < 50; ++i) {
        REQUIRE(rig.step(0, 0) == TN_OK);
        CHECK(!rig.columns.at<bool>("truncated", 0, 0));
    }
    CHECK(rig.columns.at<float>("observation", 0, 0, 0) == 50);
}

TEST_CASE("many lanes equal as many single ones, however the call is cut") {
    constexpr std::uint32_t kLanes = 7;
    constexpr std::uint32_t kSlots = 20;
    const auto act = [](std::uint32_t slot, std::uint64_t seed) {
        return static_cast<std::int64_t>(tn_philox({seed, 5}, slot).word[0] % 2);
    };
    EnvRig many(kCounter, kLanes, kSlots);
    EnvRig cut(kCounter, kLanes, kSlots, {}, {9, 9});  // another key: seeds alone decide
    std::vector<std::uint64_t> seeds;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        seeds.push_back(100 + lane);
    }
    many.reset(seeds);
    cut.reset(seeds);
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            many.columns.at<std::int64_t>("action", slot, lane) = act(slot, seeds[lane]);
            cut.columns.at<std::int64_t>("action", slot, lane) = act(slot, seeds[lane]);
        }
        REQUIRE(many.step(slot, slot + 1) == TN_OK);
        REQUIRE(cut.step(slot, slot + 1, 3, 4) == TN_OK);
        REQUIRE(cut.step(slot, slot + 1, 0, 3) == TN_OK);
    }
    CHECK(many.columns.bytes() == cut.columns.bytes());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        EnvRig single(kCounter, 1, kSlots);
        single.reset({seeds[lane]});
        for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
            single.columns.at<std::int64_t>("action", slot, 0) = act(slot, seeds[lane]);
            REQUIRE(single.step(slot, slot + 1) == TN_OK);
            CHECK(single.columns.at<float>("reward", slot, 0) == many.columns.at<float>("reward", slot, lane));
            CHECK(single.columns.at<float>("observation", slot + 1, 0, 1) ==
                  many.columns.at<float>("observation", slot + 1, lane, 1));
        }
    }
}

TEST_CASE("a masked reset touches nothing but its lanes, and a seed starts a lane over") {
    EnvRig rig(kCounter, 3, 2);
    rig.reset({1, 2, 3});
    const float start = rig.columns.at<float>("observation", 0, 1, 1);
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        rig.columns.at<std::int64_t>("action", 0, lane) = 0;
    }
    REQUIRE(rig.step(0, 1) == TN_OK);
    const std::vector<std::uint8_t> mask = {0, 1, 0};
    const std::vector<std::uint64_t> seeds = {7, 2, 7};
    REQUIRE(rig.reset_masked(1, mask.data(), seeds.data()) == TN_OK);
    CHECK(rig.columns.at<float>("observation", 1, 1, 0) == 0);
    CHECK(rig.columns.at<float>("observation", 1, 1, 1) == start);
    CHECK(rig.columns.at<float>("observation", 1, 0, 0) == 1);
    CHECK(rig.columns.at<float>("observation", 1, 2, 0) == 1);
    REQUIRE(rig.reset_masked(1, mask.data(), nullptr) == TN_OK);  // the generator goes on
    CHECK(rig.columns.at<float>("observation", 1, 1, 1) != start);
}

TEST_CASE("a lane that throws is parked, the others go on, and reset brings it back") {
    EnvRig rig(kCounter, 3, 2);
    rig.reset({1, 2, 3});
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        rig.columns.at<std::int64_t>("action", 0, lane) = lane == 1 ? 2 : 0;
    }
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.lane_status == std::vector<std::uint8_t>{0, TN_INTERNAL, 0});
    CHECK(rig.host.error == "the counter jammed");
    CHECK(rig.columns.at<float>("reward", 0, 2) == 10);

    rig.host.error.clear();
    REQUIRE(rig.step(0, 1) == TN_OK);  // parked: not called again, so nothing is said again
    CHECK(rig.host.error.empty());
    CHECK(rig.columns.at<float>("reward", 0, 2) == 20);

    rig.reset({1, 2, 3});
    CHECK(rig.lane_status == std::vector<std::uint8_t>{0, 0, 0});
    rig.columns.at<std::int64_t>("action", 0, 1) = 0;
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.columns.at<float>("reward", 0, 1) == 10);
}

TEST_CASE("an action that does not exist parks its lane") {
    for (const std::int64_t action : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 40}) {
        EnvRig rig(kCounter, 1, 2);
        rig.reset({1});
        rig.columns.at<std::int64_t>("action", 0, 0) = action;
        REQUIRE(rig.step(0, 1) == TN_OK);
        CHECK(rig.lane_status[0] == TN_INVALID_ARGUMENT);
        CHECK_THAT(rig.host.error, ContainsSubstring("is not one of 0 to 2"));
    }
}

TEST_CASE("calls in the wrong order or out of range are refused") {
    EnvRig rig(kCounter, 2, 2);
    CHECK(rig.step(0, 1) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("before it was reset"));
    rig.reset({1, 2});
    CHECK(rig.step(0, 2) == TN_INVALID_ARGUMENT);
    CHECK(rig.step(0, 1, 1, 2) == TN_INVALID_ARGUMENT);
    CHECK(rig.step(0, 1, 0xFFFFFFFF, 2) == TN_INVALID_ARGUMENT);

    tenon::test::PluginHost host;
    const tenon::test::PluginInstance unbound(host, kCounter, 2);
    const auto* api = unbound.api<tn_env_api>("tenon.env/1");
    CHECK(api->reset(unbound.self(), 0, nullptr, nullptr) == TN_FAILED_PRECONDITION);
    const tenon::test::PluginInstance no_lanes(host, kCounter, 0);
    CHECK(no_lanes.status() == TN_INVALID_ARGUMENT);
}

TEST_CASE("columns that are missing or unlike the spec are refused by name") {
    const auto refused = [](auto add, const std::string& why) {
        tenon::test::PluginHost host;
        const tenon::test::PluginInstance instance(host, kCounter, 2);
        tenon::test::PluginColumns columns(2, 2);
        add(columns);
        std::vector<std::uint8_t> status(2);
        const tn_env_buffers buffers = {.struct_size = sizeof(tn_env_buffers),
                                        .flags = 0,
                                        .slots = 2,
                                        .lanes = 2,
                                        .columns = columns.data(),
                                        .column_count = columns.size(),
                                        .lane_status = status.data(),
                                        .needs_reset = nullptr};
        CHECK(instance.api<tn_env_api>("tenon.env/1")->bind(instance.self(), &buffers) == TN_INVALID_ARGUMENT);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    refused([](auto&) {}, "column 'observation' was not bound");
    refused([](auto& columns) { columns.add("observation", TN_F64, {2}); },
            "column 'observation' is float64, but was described as float32");
    refused([](auto& columns) { columns.add("observation", TN_F32, {3}); }, "column 'observation' has a shape other");
    refused([](auto& columns) { columns.add("observation", TN_F32, {}); }, "column 'observation' has a rank other");
    refused([](auto& columns) { columns.add("observation", TN_F32, {2}); }, "column 'next.observation' was not bound");
}

}  // namespace env_test
