// SPDX-License-Identifier: Apache-2.0
// noop_reset, fire_reset, random_time_limit, macro_action and action_chunk on an env that counts.
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "action_chunk.hpp"
#include "counting.hpp"
#include "fire_reset.hpp"
#include "macro_action.hpp"
#include "max_frame_skip.hpp"
#include "noop_reset.hpp"
#include "random_time_limit.hpp"
#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"
#include "tenon/abi/live.h"

namespace wrappers_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::WrapperRig;

namespace {

constexpr auto kFire = tenon::wrapper<FireReset>("fire_reset", "begins");
constexpr auto kNoops = tenon::wrapper<NoopReset>("noop_reset", "begins");
constexpr auto kLimit = tenon::wrapper<RandomTimeLimit>("random_time_limit", "ends");
constexpr auto kMacro = tenon::wrapper<MacroAction>("macro_action", "sequences");
constexpr auto kChunk = tenon::wrapper<ActionChunk>("action_chunk", "chunks");
constexpr std::uint32_t kLanes = 4;
constexpr std::array<std::uint64_t, kLanes> kSeeds = {4, 8, 15, 16};

// An env whose actions are two numbers.
struct Pushed {
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {2})},
                .actions = {tenon::bounded("action", {2}, {-1, -2}, {1, 2})}};
    }
    static void reset(std::span<float, 2> observation) { std::ranges::fill(observation, 0.0F); }
    static tenon::StepResult step(std::span<const float, 2> action, std::span<float, 2> observation) {
        std::ranges::copy(action, observation.begin());
        return {.reward = action[0]};
    }
};
constexpr auto kPushed = tenon::env<Pushed>("Pushed", "is pushed");

void act(WrapperRig& rig, std::uint32_t slot, std::int64_t action) {
    for (std::uint32_t lane = 0; lane < rig.columns.lanes(); ++lane) {
        rig.columns.at<std::int64_t>("action", slot, lane) = action;
    }
}

template <class Component, class Env, class Change>
std::string refusal(Component component, Env env, Change change) {
    WrapperRig rig(component, env, 1, 2, change);
    CHECK(rig.describe() == TN_INVALID_ARGUMENT);
    return rig.host.error;
}

template <class Component, class T>
std::string refusal_to_be_made(Component component, const std::function<void(tenon::test::OptionValues<T>&)>& change) {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, component, 1, change);
    CHECK(instance.status() == TN_INVALID_ARGUMENT);
    return host.error;
}

}  // namespace

TEST_CASE("noop_reset begins every episode with some steps that nobody sees") {
    WrapperRig rig(kNoops, kCounting, kLanes, 2, [](auto& options) { options["most"].integer = 3; });
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    std::set<float> begun;
    int ended = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        begun.insert(rig.columns.at<float>("observation", 0, lane));
    }
    for (std::uint32_t t = 0; t < 60; ++t) {
        const std::uint32_t slot = t % 2;
        act(rig, slot, 2);
        REQUIRE(rig.step(slot) == TN_OK);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            CAPTURE(t, lane);
            const float steps = rig.columns.at<float>("observation", 1 - slot, lane);
            CHECK(rig.columns.at<std::int64_t>("action", slot, lane) == 2);
            CHECK(rig.columns.at<float>("reward", slot, lane) == 201);
            if (rig.columns.at<bool>("terminated", slot, lane)) {
                ++ended;
                begun.insert(steps);
                CHECK(rig.columns.at<float>("next.observation", slot, lane) >= 5);
                CHECK(rig.columns.at<float>("next.observation", slot, lane, 1) + 1 ==
                      rig.columns.at<float>("observation", 1 - slot, lane, 1));
            } else {
                CHECK(steps == rig.columns.at<float>("observation", slot, lane) + 1);
            }
        }
    }
    CHECK(begun == std::set<float>{1, 2, 3});
    CHECK(ended > 10);
    CHECK(rig.columns.canaries_intact());
}

// Episodes of the env have 5 to 14 steps, so that some end before anybody sees them.
TEST_CASE("noop_reset goes on in the next episode where one ends before it is seen") {
    WrapperRig rig(kNoops, kCounting, kLanes, 2, [](auto& options) { options["most"].integer = 30; });
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    std::set<float> episodes;
    for (std::uint32_t t = 0; t < 60; ++t) {
        const std::uint32_t slot = t % 2;
        act(rig, slot, 0);
        const float before = rig.columns.at<float>("observation", slot, 0, 1);
        REQUIRE(rig.step(slot) == TN_OK);
        if (rig.columns.at<bool>("terminated", slot, 0)) {
            CHECK(rig.columns.at<float>("next.observation", slot, 0, 1) == before);
            episodes.insert(rig.columns.at<float>("observation", 1 - slot, 0, 1) - before);
        }
    }
    CHECK(episodes.size() > 1);
}

TEST_CASE("fire_reset begins every episode with one step that nobody sees") {
    WrapperRig rig(kFire, kCounting, kLanes, 2);
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    int ended = 0;
    for (std::uint32_t t = 0; t < 60; ++t) {
        const std::uint32_t slot = t % 2;
        act(rig, slot, 2);
        REQUIRE(rig.step(slot) == TN_OK);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            CAPTURE(t, lane);
            CHECK((t > 0 || rig.columns.at<float>("observation", 0, lane) == 1));
            if (rig.columns.at<bool>("terminated", slot, lane)) {
                ++ended;
                CHECK(rig.columns.at<float>("observation", 1 - slot, lane) == 1);
            }
        }
    }
    CHECK(ended > 10);
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("random_time_limit truncates, keeps the final observation, and leaves other ends alone") {
    WrapperRig rig(kLimit, kCounting, kLanes, 2, [](auto& options) {
        options["least"].real = 2;
        options["most"].real = 7;
    });
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    std::set<float> lengths;
    int terminated = 0;
    for (std::uint32_t t = 0; t < 200; ++t) {
        const std::uint32_t slot = t % 2;
        act(rig, slot, 0);
        REQUIRE(rig.step(slot) == TN_OK);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const float steps = rig.columns.at<float>("observation", slot, lane) + 1;
            terminated += rig.columns.at<bool>("terminated", slot, lane) ? 1 : 0;
            if (rig.columns.at<bool>("truncated", slot, lane)) {
                lengths.insert(steps);
                CHECK(rig.columns.at<float>("next.observation", slot, lane) == steps);
                CHECK(rig.columns.at<float>("observation", 1 - slot, lane) == 0);
                CHECK(rig.columns.at<float>("observation", 1 - slot, lane, 1) ==
                      rig.columns.at<float>("next.observation", slot, lane, 1) + 1);
            }
        }
    }
    CHECK(lengths == std::set<float>{2, 3, 4, 5, 6, 7});
    CHECK(terminated > 0);
    CHECK(rig.columns.canaries_intact());
    CHECK_THAT((refusal_to_be_made<decltype(kLimit), RandomTimeLimit>(kLimit,
                                                                      [](auto& options) { options["most"].real = 0; })),
               ContainsSubstring("option 'least' is above option 'most'"));
}

TEST_CASE("random_time_limit draws limits for a share of the episodes, and gives the others the longest") {
    WrapperRig rig(kLimit, kCounting, 1, 2, [](auto& options) {
        options["least"].real = 2;
        options["most"].real = 5;
        options["chance"].real = 0.25;
    });
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    std::array<int, 6> lengths{};
    for (std::uint32_t t = 0, length = 1; t < 2000; ++t, ++length) {
        act(rig, t % 2, 0);
        REQUIRE(rig.step(t % 2) == TN_OK);
        if (rig.columns.at<bool>("truncated", t % 2, 0)) {
            ++lengths.at(length);
            length = 0;
        }
    }
    const int all = lengths[2] + lengths[3] + lengths[4] + lengths[5];
    CHECK((lengths[1] == 0 && lengths[2] > 0 && lengths[3] > 0 && lengths[4] > 0));
    // 3/4 of the episodes, and a quarter of the rest: 0.8125, and 4 standard deviations.
    CHECK_THAT(lengths[5] / static_cast<double>(all), Catch::Matchers::WithinAbs(0.8125, 0.08));
}

TEST_CASE("a schedule changes the limits of random_time_limit") {
    WrapperRig rig(kLimit, kCounting, 1, 2, [](auto& options) {
        options["least"].real = 4;
        options["most"].real = 4;
    });
    rig.bind();
    rig.reset(0, nullptr, kSeeds.data());
    const auto length = [&] {
        for (std::uint32_t t = 0; true; ++t) {
            act(rig, t % 2, 0);
            REQUIRE(rig.step(t % 2) == TN_OK);
            if (rig.columns.at<bool>("truncated", t % 2, 0)) {
                return t + 1;
            }
        }
    };
    CHECK(length() == 4);
    const auto* const live = rig.wrapper.api<tn_live_api>("tenon.live/1");
    REQUIRE(live != nullptr);
    REQUIRE(live->set(rig.wrapper.self(), 0, 3.5) == TN_OK);
    REQUIRE(live->set(rig.wrapper.self(), 1, 2) == TN_OK);  // below the other one
    CHECK(live->set(rig.wrapper.self(), 3, 1) == TN_NOT_FOUND);
    rig.reset(0, nullptr, kSeeds.data());
    CHECK(length() == 3);
    CHECK(rig.wrapper.api<tn_live_api>("tenon.live/2") == nullptr);
}

TEST_CASE("macro_action takes the actions of a sequence") {
    const tn_str sequences[] = {tenon::to_str("0 1"), tenon::to_str("2"), tenon::to_str(" 1 1 2")};
    const auto change = [&](auto& options) {
        options["sequences"].texts = sequences;
        options["sequences"].count = 3;
    };
    WrapperRig rig(kMacro, kCounting, 3, 2, change);
    rig.bind();
    CHECK(rig.info.specs[1]->categories[0] == 3);
    rig.reset(0, nullptr, kSeeds.data());
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        rig.columns.at<std::int64_t>("action", 0, lane) = lane;
    }
    REQUIRE(rig.step(0) == TN_OK);
    CHECK(rig.columns.at<float>("reward", 0, 0) == 1 + 101);
    CHECK(rig.columns.at<float>("reward", 0, 1) == 201);
    CHECK(rig.columns.at<float>("reward", 0, 2) == 101 + 101 + 201);
    CHECK(rig.columns.at<float>("observation", 1, 0) == 2);
    CHECK(rig.columns.at<float>("observation", 1, 1) == 1);
    CHECK(rig.columns.at<float>("observation", 1, 2) == 3);
    CHECK(rig.columns.at<std::int64_t>("action", 0, 2) == 2);
    act(rig, 1, 0);
    rig.columns.at<std::int64_t>("action", 1, 1) = 3;
    REQUIRE(rig.step(1) == TN_OK);
    CHECK(rig.lane_status[1] == TN_INVALID_ARGUMENT);
    CHECK(rig.lane_status[0] == TN_OK);
    CHECK(rig.host.error == "action 3 is not one of 0 to 2");
}

TEST_CASE("macro_action refuses what is no sequence of the env's actions") {
    using Change = std::function<void(tenon::test::OptionValues<MacroAction>&)>;
    const tn_str words = tenon::to_str("0 up");
    CHECK(refusal_to_be_made<decltype(kMacro), MacroAction>(kMacro, Change([&](auto& options) {
                                                                options["sequences"].texts = &words;
                                                                options["sequences"].count = 1;
                                                            })) ==
          "option 'sequences' has \"0 up\", which are not numbers of actions separated by blanks");
    CHECK(refusal_to_be_made<decltype(kMacro), MacroAction>(
              kMacro, Change([](auto& options) { options["sequences"].count = 0; })) ==
          "option 'sequences' is empty; give at least one sequence of actions");
    const tn_str four = tenon::to_str("0 4");
    CHECK(refusal(kMacro, kCounting, [&](auto& options) {
              options["sequences"].texts = &four;
              options["sequences"].count = 1;
          }) == "option 'sequences' has the action 4, and the env has 0 to 2");
}

TEST_CASE("action_chunk hands several actions to the env, one a step") {
    WrapperRig rig(kChunk, kPushed, 1, 2, [](auto& options) { options["steps"].integer = 3; });
    rig.bind();
    const tn_spec& action = *rig.info.specs[1];
    REQUIRE(action.rank == 2);
    CHECK(action.shape[0] == 3);
    CHECK(action.shape[1] == 2);
    REQUIRE(action.bound_count == 6);
    CHECK(action.high[5] == 2);
    rig.reset(0, nullptr, nullptr);
    for (std::size_t i = 0; i < 6; ++i) {
        rig.columns.at<float>("action", 0, 0, i) = static_cast<float>(i);
    }
    REQUIRE(rig.step(0) == TN_OK);
    CHECK(rig.columns.at<float>("reward", 0, 0) == 0 + 2 + 4);
    CHECK(rig.columns.at<float>("observation", 1, 0, 0) == 4);
    CHECK(rig.columns.at<float>("observation", 1, 0, 1) == 5);

    WrapperRig choices(kChunk, kCounting, 1, 2, [](auto& options) { options["steps"].integer = 2; });
    choices.bind();
    CHECK(choices.info.specs[1]->kind == TN_SPEC_MULTI_CATEGORICAL);
    CHECK(choices.info.specs[1]->category_count == 2);
    choices.reset(0, nullptr, nullptr);
    choices.columns.at<std::int64_t>("action", 0, 0, 0) = 1;
    choices.columns.at<std::int64_t>("action", 0, 0, 1) = 2;
    REQUIRE(choices.step(0) == TN_OK);
    CHECK(choices.columns.at<float>("reward", 0, 0) == 101 + 201);
}

TEST_CASE("a wrapper that needs one choice says so") {
    CHECK(refusal(kNoops, kPushed, [](auto&) {}) == "the action 'action' is not one choice, of which one does nothing");
    CHECK(refusal(kNoops, kCounting, [](auto& options) { options["action"].integer = 3; }) ==
          "option 'action' is 3, and the env has actions 0 to 2");
}

TEST_CASE("what a lane keeps is saved, and the rest of the episode is the same") {
    const auto resumes = [](auto component, const auto& change) {
        WrapperRig whole(component, kCounting, kLanes, 2, change);
        WrapperRig resumed(component, kCounting, kLanes, 2, change);
        whole.bind();
        resumed.bind();
        whole.reset(0, nullptr, kSeeds.data());
        for (std::uint32_t t = 0; t < 20; ++t) {
            act(whole, t % 2, 1);
            REQUIRE(whole.step(t % 2) == TN_OK);
        }
        tenon::test::StateBytes inner;
        tenon::test::StateBytes outer;
        REQUIRE(inner.save(whole.inner, 0, kLanes) == TN_OK);
        REQUIRE(outer.save(whole.wrapper, 0, kLanes) == TN_OK);
        REQUIRE(inner.load(resumed.inner, 0, kLanes) == TN_OK);
        REQUIRE(outer.load(resumed.wrapper, 0, kLanes) == TN_OK);
        for (std::uint32_t t = 20; t < 60; ++t) {
            for (WrapperRig* const rig : {&whole, &resumed}) {
                act(*rig, t % 2, 1);
                REQUIRE(rig->step(t % 2) == TN_OK);
            }
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                for (std::size_t i = 0; i < 3; ++i) {
                    REQUIRE(whole.columns.at<float>("observation", 1 - t % 2, lane, i) ==
                            resumed.columns.at<float>("observation", 1 - t % 2, lane, i));
                }
                REQUIRE(whole.columns.at<bool>("truncated", t % 2, lane) ==
                        resumed.columns.at<bool>("truncated", t % 2, lane));
            }
        }
    };
    resumes(kNoops, [](auto& options) { options["most"].integer = 3; });
    resumes(kLimit, [](auto& options) { options["most"].real = 7; });
    resumes(tenon::wrapper<MaxFrameSkip>("max_frame_skip", "repeats"), [](auto&) {});
}

}  // namespace wrappers_test
