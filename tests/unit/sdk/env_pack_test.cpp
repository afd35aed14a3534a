// SPDX-License-Identifier: Apache-2.0
// Envs that step a pack of lanes at once: whatever surrounds a lane, it does what it would do alone.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace env_pack_test {

using Catch::Matchers::ContainsSubstring;
using tenon::kPackLanes;
using tenon::Pack;
using tenon::test::EnvRig;
using tenon::test::StateBytes;

namespace {

// Counts up from a random start; action 1 ends the episode, 2 cuts it off, 3 makes step throw.
struct Count {
    using State = std::array<Pack, 2>;  // start, steps

    std::int64_t max_episode_steps;
    bool reset_throws;
    static constexpr auto options =
        std::tuple{tenon::option<&Count::max_episode_steps>("max_episode_steps", 4, "[0,inf)", "time limit; 0: none"),
                   tenon::option<&Count::reset_throws>("reset_throws", false, "from the second start on")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {2})}, .actions = {tenon::categorical("action", 4)}};
    }
    void reset(tenon::Rng& rng, std::span<double, 2> state) const {
        if (reset_throws && rng.state().counter > 0) {
            throw tenon::InvalidArgument("it cannot begin again");
        }
        state[0] = rng.uniform();
        state[1] = 0;
    }
    static tenon::PackResult step(State& state, Pack action) {
        state[1] = state[1] + 1;
        if (any(action == 3)) {
            throw std::runtime_error("the counter jammed");
        }
        return {.reward = 10 * state[1], .terminated = action == 1, .truncated = action == 2};
    }
};

// Several numbers in an action, an observation that is not the state, rewards in double.
struct Slide {
    using State = std::array<Pack, 2>;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("place", {3})},
                .actions = {tenon::bounded("push", {2}, -1, 1)},
                .reward = tenon::unbounded("reward", {}, TN_F64)};
    }
    static void reset(tenon::Rng& /*rng*/, std::span<double, 2> state) { state[0] = state[1] = 5; }
    static tenon::PackResult step(State& state, const std::array<Pack, 2>& push) {
        state = {state[0] + push[0], state[1] + push[1]};
        return {.reward = state[0] * state[1]};
    }
    static std::array<Pack, 3> observe(const State& state) { return {state[0], state[1], state[0] + state[1]}; }
};

struct Misfit : Slide {
    double which;
    static constexpr auto options = std::tuple{tenon::option<&Misfit::which>("which", 0, "[0,3]", "which mistake")};
    tenon::EnvSpec spec() const {
        tenon::EnvSpec spec = Slide::spec();
        if (which == 0) {
            spec.observations[0].shape = {2};
        } else if (which == 1) {
            spec.actions[0] = tenon::categorical("push", 2);
        } else if (which == 2) {
            spec.observations[0].dtype = TN_F64;
        } else {
            spec.extras = {tenon::unbounded("more")};
        }
        return spec;
    }
};

constexpr auto kCount = tenon::env<Count>("Count-v0", "counts");

std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::uint32_t lanes) {
    std::vector<std::uint64_t> seeds;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        seeds.push_back(first + lane);
    }
    return seeds;
}

void act(EnvRig& rig, std::uint32_t slot, std::uint64_t salt = 0) {
    for (std::uint32_t lane = 0; lane < rig.columns.lanes(); ++lane) {
        const std::uint32_t bits = tn_philox({lane + salt, 5}, slot).word[0] % 8;
        rig.columns.at<std::int64_t>("action", slot, lane) = bits < 3 ? bits : 0;
    }
}

}  // namespace

TEST_CASE("lanes in packs equal lanes alone, however the call is cut") {
    constexpr std::uint32_t kLanes = 3 * kPackLanes + 3;
    constexpr std::uint32_t kSlots = 30;
    EnvRig many(kCount, kLanes, kSlots);
    EnvRig cut(kCount, kLanes, kSlots, {}, {9, 9});
    many.reset(seeds_from(100, kLanes));
    cut.reset(seeds_from(100, kLanes));
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        act(many, slot);
        act(cut, slot);
        REQUIRE(many.step(slot, slot + 1) == TN_OK);
        REQUIRE(cut.step(slot, slot + 1, 5, kLanes - 5) == TN_OK);
        REQUIRE(cut.step(slot, slot + 1, 0, 5) == TN_OK);
    }
    CHECK(many.columns.bytes() == cut.columns.bytes());
    CHECK(many.columns.canaries_intact());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        EnvRig single(kCount, 1, kSlots);
        single.reset({100 + lane});
        for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
            act(single, slot, lane);
            REQUIRE(single.step(slot, slot + 1) == TN_OK);
            REQUIRE(single.columns.at<float>("reward", slot, 0) == many.columns.at<float>("reward", slot, lane));
            REQUIRE(single.columns.at<float>("observation", slot + 1, 0, 0) ==
                    many.columns.at<float>("observation", slot + 1, lane, 0));
        }
    }
}

TEST_CASE("rows side by side get what rows with gaps between them get") {
    constexpr std::uint32_t kLanes = 2 * kPackLanes + 3;
    constexpr std::uint32_t kSlots = 30;
    EnvRig apart(kCount, kLanes, kSlots);
    EnvRig dense(kCount, kLanes, kSlots, {}, {1, 2}, 0);
    EnvRig slide_apart(tenon::env<Slide>("Slide-v0", "slides"), kLanes, kSlots);
    EnvRig slide_dense(tenon::env<Slide>("Slide-v0", "slides"), kLanes, kSlots, {}, {1, 2}, 0);
    for (EnvRig* const rig : {&apart, &dense, &slide_apart, &slide_dense}) {
        rig->reset(seeds_from(7, kLanes));
    }
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        for (EnvRig* const rig : {&apart, &dense}) {
            act(*rig, slot);
            REQUIRE(rig->step(slot, slot + 1) == TN_OK);
        }
        for (EnvRig* const rig : {&slide_apart, &slide_dense}) {
            for (std::uint32_t i = 0; i < 2 * kLanes; ++i) {
                rig->columns.at<float>("push", slot, i / 2, i % 2) = static_cast<float>((i + slot) % 11) / 11;
            }
            REQUIRE(rig->step(slot, slot + 1) == TN_OK);
        }
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const auto same = [&]<class E>(EnvRig& a, EnvRig& b, const char* key, std::uint32_t at, std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) {
                    REQUIRE(a.columns.at<E>(key, at, lane, i) == b.columns.at<E>(key, at, lane, i));
                }
            };
            for (const char* const flag : {"terminated", "truncated"}) {
                same.operator()<bool>(apart, dense, flag, slot, 1);
                same.operator()<bool>(slide_apart, slide_dense, flag, slot, 1);
            }
            same.operator()<float>(apart, dense, "reward", slot, 1);
            same.operator()<float>(apart, dense, "observation", slot + 1, 2);
            same.operator()<double>(slide_apart, slide_dense, "reward", slot, 1);
            same.operator()<float>(slide_apart, slide_dense, "place", slot + 1, 3);
            if (apart.columns.at<bool>("terminated", slot, lane) || apart.columns.at<bool>("truncated", slot, lane)) {
                same.operator()<float>(apart, dense, "next.observation", slot, 2);
            }
        }
    }
}

TEST_CASE("an episode of a pack's lane ends, is cut off and meets its limit as any other") {
    EnvRig rig(kCount, kPackLanes, 6);
    CHECK(rig.describe().episode_limit == 4);
    rig.reset(seeds_from(1, kPackLanes));
    const float start = rig.columns.at<float>("observation", 0, 1, 0);
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        for (std::uint32_t lane = 0; lane < kPackLanes; ++lane) {
            rig.columns.at<std::int64_t>("action", slot, lane) = 0;
        }
        rig.columns.at<std::int64_t>("action", slot, 1) = slot == 1 ? 1 : 0;
        rig.columns.at<std::int64_t>("action", slot, 2) = slot == 2 ? 2 : 0;
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        CHECK(rig.columns.at<bool>("terminated", slot, 1) == (slot == 1));
        CHECK(rig.columns.at<bool>("truncated", slot, 1) == false);
        CHECK(rig.columns.at<bool>("truncated", slot, 2) == (slot == 2));
        CHECK(rig.columns.at<bool>("truncated", slot, 0) == (slot == 3));
        CHECK(rig.columns.at<bool>("terminated", slot, 0) == false);
    }
    CHECK(rig.columns.at<float>("next.observation", 1, 1, 0) == start);
    CHECK(rig.columns.at<float>("next.observation", 1, 1, 1) == 2);
    CHECK(rig.columns.at<float>("observation", 2, 1, 0) != start);
    CHECK(rig.columns.at<float>("observation", 2, 1, 1) == 0);
    CHECK(rig.columns.at<float>("reward", 2, 1) == 10);
    CHECK(rig.columns.at<float>("next.observation", 3, 0, 1) == 4);
    CHECK(rig.columns.at<float>("observation", 4, 0, 1) == 0);
}

TEST_CASE("a lane that throws or acts wrongly is parked alone") {
    constexpr std::uint32_t kLanes = 2 * kPackLanes;
    const auto check = [](std::int64_t action, std::uint8_t status, const std::string& why) {
        EnvRig rig(kCount, kLanes, 4);
        EnvRig calm(kCount, kLanes, 4);
        rig.reset(seeds_from(1, kLanes));
        calm.reset(seeds_from(1, kLanes));
        for (std::uint32_t slot = 0; slot < 3; ++slot) {
            act(rig, slot);
            act(calm, slot);
            rig.columns.at<std::int64_t>("action", slot, 3) = slot == 1 ? action : 0;
            calm.columns.at<std::int64_t>("action", slot, 3) = 0;
            REQUIRE(rig.step(slot, slot + 1) == TN_OK);
            REQUIRE(calm.step(slot, slot + 1) == TN_OK);
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                if (lane != 3) {
                    REQUIRE(rig.columns.at<float>("reward", slot, lane) ==
                            calm.columns.at<float>("reward", slot, lane));
                    REQUIRE(rig.columns.at<float>("observation", slot + 1, lane, 0) ==
                            calm.columns.at<float>("observation", slot + 1, lane, 0));
                }
            }
        }
        std::vector<std::uint8_t> expected(kLanes, 0);
        expected[3] = status;
        CHECK(rig.lane_status == expected);
        CHECK_THAT(rig.host.error, ContainsSubstring(why));
        CHECK(rig.columns.canaries_intact());

        rig.reset(seeds_from(1, kLanes));
        CHECK(rig.lane_status == std::vector<std::uint8_t>(kLanes, 0));
        act(rig, 0);
        REQUIRE(rig.step(0, 1) == TN_OK);
        CHECK(rig.columns.at<float>("reward", 0, 3) == 10);
    };
    check(3, TN_INTERNAL, "the counter jammed");
    check(4, TN_INVALID_ARGUMENT, "action 4 is not one of 0 to 3");
    check(-1, TN_INVALID_ARGUMENT, "action -1 is not one of 0 to 3");
}

TEST_CASE("a lane of a pack that cannot begin again is parked alone") {
    EnvRig rig(kCount, kPackLanes, 3, [](auto& options) { options["reset_throws"].integer = 1; });
    rig.reset(seeds_from(1, kPackLanes));
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        for (std::uint32_t lane = 0; lane < kPackLanes; ++lane) {
            rig.columns.at<std::int64_t>("action", slot, lane) = lane == 2 ? 1 : 0;
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    }
    std::vector<std::uint8_t> expected(kPackLanes, 0);
    expected[2] = TN_INVALID_ARGUMENT;
    CHECK(rig.lane_status == expected);
    CHECK(rig.host.error == "it cannot begin again");
    CHECK(rig.columns.at<float>("next.observation", 0, 2, 1) == 1);
    CHECK(rig.columns.at<float>("reward", 1, 1) == 20);
}

TEST_CASE("several numbers in an action, another observation than the state, rewards in double") {
    constexpr std::uint32_t kLanes = kPackLanes + 1;
    EnvRig rig(tenon::env<Slide>("Slide-v0", "slides"), kLanes, 2);
    CHECK(rig.describe().episode_limit == 0);
    rig.reset(seeds_from(1, kLanes));
    CHECK(rig.columns.at<float>("place", 0, 1, 2) == 10);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        rig.columns.at<float>("push", 0, lane, 0) = 0.5F * static_cast<float>(lane);
        rig.columns.at<float>("push", 0, lane, 1) = -1;
    }
    REQUIRE(rig.step(0, 1) == TN_OK);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CHECK(rig.columns.at<float>("place", 1, lane, 0) == 5 + 0.5F * static_cast<float>(lane));
        CHECK(rig.columns.at<float>("place", 1, lane, 2) == 9 + 0.5F * static_cast<float>(lane));
        CHECK(rig.columns.at<double>("reward", 0, lane) == 4 * (5 + 0.5 * lane));
    }
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("saved state of packs moves between lane ranges, and damage is found") {
    constexpr std::uint32_t kLanes = kPackLanes + 2;
    EnvRig rig(kCount, kLanes, 8);
    rig.reset(seeds_from(1, kLanes));
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        act(rig, slot);
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    }
    StateBytes state;
    REQUIRE(state.save(rig.instance, 1, kPackLanes + 1) == TN_OK);
    EnvRig other(kCount, kPackLanes + 1, 8);
    REQUIRE(state.load(other.instance, 0, kPackLanes + 1) == TN_OK);
    for (std::uint32_t slot = 3; slot < 7; ++slot) {
        act(rig, slot);
        act(other, slot, 1);
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        REQUIRE(other.step(slot, slot + 1) == TN_OK);
        for (std::uint32_t lane = 0; lane < kPackLanes + 1; ++lane) {
            REQUIRE(other.columns.at<float>("reward", slot, lane) == rig.columns.at<float>("reward", slot, lane + 1));
            REQUIRE(other.columns.at<bool>("truncated", slot, lane) ==
                    rig.columns.at<bool>("truncated", slot, lane + 1));
            REQUIRE(other.columns.at<float>("observation", slot + 1, lane, 0) ==
                    rig.columns.at<float>("observation", slot + 1, lane + 1, 0));
        }
    }
    StateBytes damaged;
    damaged.bytes.assign(state.bytes.size(), 0xFF);
    CHECK(damaged.load(other.instance, 0, kPackLanes + 1) == TN_DATA_LOSS);
    CHECK(other.step(0, 1) == TN_FAILED_PRECONDITION);
    other.reset(seeds_from(1, kPackLanes + 1));
    CHECK(other.step(0, 1) == TN_OK);
}

TEST_CASE("functions of packs and spec that do not fit together are told apart") {
    const auto refused = [](double which, const std::string& why) {
        tenon::test::PluginHost host;
        const tenon::test::PluginInstance instance(host, tenon::env<Misfit>("Misfit-v0", "does not fit"), 1,
                                                   [&](auto& options) { options["which"].real = which; });
        CHECK(instance.status() == TN_INTERNAL);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    refused(0, "takes 3 elements of the observation 'place', but spec() says 2");
    refused(1, "takes 2 elements of the action 'push', but spec() says 1");
    refused(2, "takes the observation 'place' as float32, but spec() says float64");
    refused(3, "cannot have extras");
}

}  // namespace env_pack_test
