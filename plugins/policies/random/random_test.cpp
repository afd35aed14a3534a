// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/policy_rig.hpp"

namespace random_test {

using tenon::test::PolicyRig;

namespace {

constexpr auto kRandom = tenon::policy<Random>("random", "draws");
constexpr std::uint32_t kLanes = 6000;

}  // namespace

TEST_CASE("every kind of action is drawn within its spec, all values equally often") {
    PolicyRig rig(kRandom,
                  {tenon::categorical("categorical", 3), tenon::bounded("bounded", {2}, {-1, 10}, {1, 30}),
                   tenon::bounded("integers", {}, 1, 3, TN_I32), tenon::one_hot("one_hot", 3),
                   tenon::multi_categorical("multi", {2, 5}), tenon::binary("binary", {2})},
                  kLanes, 1);
    REQUIRE(rig.act(0, 0, kLanes) == TN_OK);
    std::array<int, 3> categorical{};
    std::array<int, 3> integers{};
    std::array<int, 3> one_hot{};
    std::array<int, 5> multi{};
    int binary = 0;
    double sum = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        ++categorical.at(static_cast<std::size_t>(rig.columns.at<std::int64_t>("categorical", 0, lane)));
        ++integers.at(static_cast<std::size_t>(rig.columns.at<std::int32_t>("integers", 0, lane) - 1));
        ++multi.at(static_cast<std::size_t>(rig.columns.at<std::int64_t>("multi", 0, lane, 1)));
        REQUIRE(rig.columns.at<std::int64_t>("multi", 0, lane, 0) < 2);
        binary += rig.columns.at<bool>("binary", 0, lane, 1) ? 1 : 0;
        int ones = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const bool hot = rig.columns.at<bool>("one_hot", 0, lane, i);
            one_hot.at(i) += hot ? 1 : 0;
            ones += hot ? 1 : 0;
        }
        REQUIRE(ones == 1);
        REQUIRE(std::abs(rig.columns.at<float>("bounded", 0, lane, 0)) <= 1);
        const float second = rig.columns.at<float>("bounded", 0, lane, 1);
        REQUIRE((second >= 10 && second <= 30));
        sum += second;
    }
    const auto even = [](int times, double expected) { return std::abs(times - expected) < 4.5 * std::sqrt(expected); };
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(even(categorical.at(i), kLanes / 3.0));
        CHECK(even(integers.at(i), kLanes / 3.0));
        CHECK(even(one_hot.at(i), kLanes / 3.0));
    }
    for (const int times : multi) {
        CHECK(even(times, kLanes / 5.0));
    }
    CHECK(even(binary, kLanes / 2.0));
    CHECK(std::abs(sum / kLanes - 20) < 0.35);
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("of a masked action only what is allowed is drawn, all of it equally often") {
    PolicyRig rig(kRandom,
                  {tenon::categorical("free", 2), tenon::categorical("action", 4), tenon::binary("action_mask", {4})},
                  kLanes, 1);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t i = 0; i < 4; ++i) {
            const bool second_half = lane >= kLanes / 2;  // with only one choice
            rig.columns.at<bool>("action_mask", 0, lane, i) = second_half ? i == 2 : i != 1;
        }
    }
    REQUIRE(rig.act(0, 0, kLanes) == TN_OK);
    std::array<int, 4> times{};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto action = rig.columns.at<std::int64_t>("action", 0, lane);
        ++times.at(static_cast<std::size_t>(action));
        REQUIRE((lane < kLanes / 2 || action == 2));
    }
    CHECK(times[1] == 0);
    times[2] -= kLanes / 2;
    for (const std::size_t i : {0U, 2U, 3U}) {
        CHECK(std::abs(times.at(i) - kLanes / 6.0) < 4.5 * std::sqrt(kLanes / 6.0));
    }
}

TEST_CASE("of several choices and of a one-hot action, too, only what is allowed is drawn") {
    PolicyRig rig(kRandom,
                  {tenon::multi_categorical("several", {3, 2}), tenon::one_hot("one", 4),
                   tenon::binary("several_mask", {5}), tenon::binary("one_mask", {4})},
                  kLanes, 1);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t i = 0; i < 5; ++i) {
            rig.columns.at<bool>("several_mask", 0, lane, i) = i != 1 && i != 4;
            if (i < 4) {
                rig.columns.at<bool>("one_mask", 0, lane, i) = i % 2 == 1;
            }
        }
    }
    REQUIRE(rig.act(0, 0, kLanes) == TN_OK);
    int first = 0;
    int hot = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto part = rig.columns.at<std::int64_t>("several", 0, lane, 0);
        REQUIRE((part == 0 || part == 2));
        REQUIRE(rig.columns.at<std::int64_t>("several", 0, lane, 1) == 0);
        const auto flag = [&](std::size_t i) { return rig.columns.at<bool>("one", 0, lane, i); };
        REQUIRE((!flag(0) && !flag(2) && flag(1) != flag(3)));
        first += part == 0 ? 1 : 0;
        hot += flag(1) ? 1 : 0;
    }
    CHECK(std::abs(first - kLanes / 2.0) < 4.5 * std::sqrt(kLanes / 4.0));
    CHECK(std::abs(hot - kLanes / 2.0) < 4.5 * std::sqrt(kLanes / 4.0));
}

TEST_CASE("draws are the same however the lanes are cut, and others at the next step") {
    const std::vector<tenon::Spec> specs = {tenon::bounded("action", {3}, -1, 1, TN_F64)};
    PolicyRig whole(kRandom, specs, 10, 1);
    PolicyRig cut(kRandom, specs, 10, 1);
    REQUIRE(whole.act(0, 0, 10, 3) == TN_OK);
    REQUIRE(cut.act(0, 6, 4, 3) == TN_OK);
    REQUIRE(cut.act(0, 0, 6, 3) == TN_OK);
    CHECK(whole.columns.bytes() == cut.columns.bytes());
    REQUIRE(cut.act(0, 0, 10, 4) == TN_OK);
    CHECK(whole.columns.bytes() != cut.columns.bytes());
}

TEST_CASE("actions without bounds are refused by name") {
    for (const tenon::Spec& spec : {tenon::unbounded("push", {2}), tenon::bounded("push", {}, 0, INFINITY)}) {
        tenon::test::PluginHost host;
        const tenon::test::PluginInstance instance(host, kRandom);
        tenon::Spec action = spec;
        action.role = TN_ROLE_ACTION;
        const tenon::SpecTable table({action});
        const auto* api = instance.api<tn_policy_api>("tenon.policy/1");
        CHECK(api->describe(instance.self(), table.data(), table.size()) == TN_INVALID_ARGUMENT);
        CHECK(host.error == "column 'push' needs bounds to draw uniformly between");
    }
}

TEST_CASE("each agent of a group draws what its own mask allows") {
    PolicyRig rig(kRandom,
                  {tenon::of_group("agents", 3, tenon::categorical("action", 4)),
                   tenon::of_group("agents", 3, tenon::binary("action_mask", {4})),
                   tenon::of_group("agents", 2, tenon::one_hot("other", 2)),
                   tenon::of_group("agents", 2, tenon::binary("other_mask", {2})),
                   tenon::of_group("agents", 2, tenon::multi_categorical("knobs", {2, 5}))},
                  kLanes, 1);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t i = 0; i < 12; ++i) {
            rig.columns.at<bool>("agents.action_mask", 0, lane, i) = i % 4 == i / 4 || i % 4 == 3;
        }
        for (std::size_t i = 0; i < 4; ++i) {
            rig.columns.at<bool>("agents.other_mask", 0, lane, i) = i == 1 || i == 2;
        }
    }
    REQUIRE(rig.act(0, 0, kLanes) == TN_OK);
    std::array<int, 3> own{};
    bool has_large = false;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t agent = 0; agent < 3; ++agent) {
            const auto action = rig.columns.at<std::int64_t>("agents.action", 0, lane, agent);
            own.at(agent) += action == static_cast<std::int64_t>(agent) ? 1 : 0;
            REQUIRE((action == static_cast<std::int64_t>(agent) || action == 3));
        }
        for (std::size_t i = 0; i < 4; ++i) {
            REQUIRE(rig.columns.at<bool>("agents.other", 0, lane, i) == (i == 1 || i == 2));
            const auto knob = rig.columns.at<std::int64_t>("agents.knobs", 0, lane, i);
            REQUIRE(knob < (i % 2 == 0 ? 2 : 5));
            has_large |= knob > 1;
        }
    }
    for (const int times : own) {
        CHECK(std::abs(times - static_cast<int>(kLanes) / 2) < 200);
    }
    CHECK(has_large);
    CHECK(rig.columns.canaries_intact());
}

}  // namespace random_test
