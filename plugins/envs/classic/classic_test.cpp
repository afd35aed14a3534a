// SPDX-License-Identifier: Apache-2.0
// The envs as a host sees them: spaces, initial states, saved state.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include "acrobot.hpp"
#include "cartpole.hpp"
#include "mountain_car.hpp"
#include "mountain_car_continuous.hpp"
#include "pendulum.hpp"
#include "support/catch.hpp"
#include "support/env_rig.hpp"

namespace classic_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::EnvRig;

namespace {

constexpr auto kCartPole = tenon::env<CartPole>("CartPole-v1", "keep a pole upright");

}  // namespace

TEST_CASE("CartPole's spaces are Gymnasium's") {
    EnvRig rig(kCartPole, 1, 2);
    const tn_env_info info = rig.describe();
    const tn_spec& observation = *info.specs[0];
    CHECK(observation.shape[0] == 4);
    CHECK(observation.dtype == TN_F32);
    CHECK(observation.high[0] == 4.8);
    CHECK(std::isinf(observation.high[1]));
    CHECK(static_cast<float>(observation.high[2]) == 0.41887903F);
    CHECK(observation.low[2] == -observation.high[2]);
    CHECK(info.specs[1]->kind == TN_SPEC_CATEGORICAL);
    CHECK(info.specs[1]->categories[0] == 2);
    CHECK(info.episode_limit == 500);
}

TEST_CASE("the other spaces are Gymnasium's") {
    const auto check = [](const auto& component, const std::vector<float>& high, std::int64_t choices,
                          float action_high, std::int64_t limit) {
        const EnvRig rig(component, 1, 2);
        const tn_env_info info = rig.describe();
        const tn_spec& observation = *info.specs[0];
        const tn_spec& action = *info.specs[1];
        CAPTURE(observation.bound_count);
        CHECK(observation.dtype == TN_F32);
        REQUIRE(observation.shape[0] == static_cast<std::int64_t>(high.size()));
        REQUIRE(observation.bound_count == high.size());
        for (std::size_t i = 0; i < high.size(); ++i) {
            CHECK(static_cast<float>(observation.high[i]) == high[i]);
            CHECK(static_cast<float>(observation.low[i]) == (high[i] == 0.6F ? -1.2F : -high[i]));
        }
        if (choices > 0) {
            CHECK(action.kind == TN_SPEC_CATEGORICAL);
            CHECK(action.categories[0] == choices);
        } else {
            CHECK(action.dtype == TN_F32);
            REQUIRE(action.shape[0] == 1);
            CHECK(static_cast<float>(action.high[0]) == action_high);
            CHECK(static_cast<float>(action.low[0]) == -action_high);
        }
        CHECK(info.episode_limit == limit);
    };
    check(tenon::env<Pendulum>("Pendulum-v1", "swing"), {1, 1, 8}, 0, 2, 200);
    check(tenon::env<MountainCar>("MountainCar-v0", "drive"), {0.6F, 0.07F}, 3, 0, 200);
    check(tenon::env<MountainCarContinuous>("MountainCarContinuous-v0", "drive"), {0.6F, 0.07F}, 0, 1, 999);
    check(tenon::env<Acrobot>("Acrobot-v1", "swing"), {1, 1, 1, 1, 12.566371F, 28.274334F}, 3, 0, 500);
}

TEST_CASE("starts that cannot be are refused") {
    const auto refused = [](const auto& component, const char* name, double value, const std::string& why) {
        tenon::test::PluginHost host;
        const tenon::test::PluginInstance instance(host, component, 1,
                                                   [&](auto& options) { options[name].real = value; });
        CHECK(instance.status() == TN_INVALID_ARGUMENT);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    refused(kCartPole, "reset_low", 0.5, "reset_low must not be above reset_high");
    refused(tenon::env<Acrobot>("A", "a"), "reset_high", -0.5, "reset_low must not be above reset_high");
    refused(tenon::env<MountainCar>("M", "m"), "min_position", 2, "min_position must be below max_position");
    refused(tenon::env<MountainCarContinuous>("C", "c"), "max_position", -3, "min_position must be below max_position");
}

TEST_CASE("each env starts where it should and resumes from saved state") {
    const auto check = [](const auto& component, auto act, std::size_t element, double low, double high) {
        constexpr std::uint32_t kLanes = 200;
        EnvRig rig(component, kLanes, 3);
        std::vector<std::uint64_t> seeds(kLanes);
        std::iota(seeds.begin(), seeds.end(), 1);
        rig.reset(seeds);
        double least = INFINITY;
        double most = -INFINITY;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const double value = rig.columns.template at<float>("observation", 0, lane, element);
            least = std::min(least, value);
            most = std::max(most, value);
            act(rig, 0, lane);
            act(rig, 1, lane);
        }
        const double slack = (high - low) / 20;
        CHECK(least >= low - 1e-6);
        CHECK(least < low + slack);
        CHECK(most <= high + 1e-6);
        CHECK(most > high - slack);

        REQUIRE(rig.step(0, 1) == TN_OK);
        tenon::test::StateBytes state;
        REQUIRE(state.save(rig.instance, 0, kLanes) == TN_OK);
        REQUIRE(rig.step(1, 2) == TN_OK);
        const std::vector<unsigned char> once = rig.columns.bytes();
        REQUIRE(state.load(rig.instance, 0, kLanes) == TN_OK);
        REQUIRE(rig.step(1, 2) == TN_OK);
        CHECK(rig.columns.bytes() == once);
        CHECK(rig.columns.canaries_intact());
    };
    const auto choose = [](EnvRig& rig, std::uint32_t slot, std::uint32_t lane) {
        rig.columns.at<std::int64_t>("action", slot, lane) = (slot + lane) % 2;
    };
    const auto push = [](EnvRig& rig, std::uint32_t slot, std::uint32_t lane) {
        rig.columns.at<float>("action", slot, lane) = 0.01F * static_cast<float>(lane) - static_cast<float>(slot);
    };
    check(kCartPole, choose, 2, -0.05, 0.05);
    check(tenon::env<Pendulum>("Pendulum-v1", "swing"), push, 2, -1, 1);
    check(tenon::env<MountainCar>("MountainCar-v0", "drive"), choose, 0, -0.6, -0.4);
    check(tenon::env<MountainCarContinuous>("MountainCarContinuous-v0", "drive"), push, 0, -0.6, -0.4);
    check(tenon::env<Acrobot>("Acrobot-v1", "swing"), choose, 4, -0.1, 0.1);
}

TEST_CASE("Acrobot's torque noise is drawn from the lane's generator") {
    const auto rate_after = [](double noise, std::uint64_t seed) {
        EnvRig rig(tenon::env<Acrobot>("Acrobot-v1", "swing"), 1, 2, [&](tenon::test::OptionValues<Acrobot>& options) {
            options["torque_noise_max"].real = noise;
            options["reset_low"].real = 0;
            options["reset_high"].real = 0;
        });
        rig.reset({seed});
        rig.columns.at<std::int64_t>("action", 0, 0) = 1;
        REQUIRE(rig.step(0, 1) == TN_OK);
        return rig.columns.at<float>("observation", 1, 0, 5);
    };
    CHECK(rate_after(0, 1) == rate_after(0, 2));
    CHECK(rate_after(1, 1) != rate_after(1, 2));
    CHECK(rate_after(1, 1) == rate_after(1, 1));
    CHECK(std::abs(rate_after(1, 1)) < 0.2);
}

TEST_CASE("CartPole starts within its bound and evenly on both sides") {
    EnvRig rig(kCartPole, 1000, 1);
    std::vector<std::uint64_t> seeds(1000);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    for (std::size_t element = 0; element < 4; ++element) {
        double sum = 0;
        double largest = 0;
        for (std::uint32_t lane = 0; lane < 1000; ++lane) {
            const double value = rig.columns.at<float>("observation", 0, lane, element);
            sum += value;
            largest = std::max(largest, std::abs(value));
        }
        CHECK(largest <= 0.05);
        CHECK(largest > 0.0495);
        CHECK(std::abs(sum / 1000) < 0.004);  // 4.4 standard deviations
    }
}

TEST_CASE("CartPole resumes from saved state") {
    constexpr std::uint32_t kSlots = 60;
    EnvRig whole(kCartPole, 2, kSlots);
    EnvRig resumed(kCartPole, 2, kSlots);
    whole.reset({1, 2});
    const auto step = [](EnvRig& rig, std::uint32_t slot) {
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            rig.columns.at<std::int64_t>("action", slot, lane) = (slot / 3 + lane) % 2;
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    };
    for (std::uint32_t slot = 0; slot < 20; ++slot) {
        step(whole, slot);
    }
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    int ends = 0;
    for (std::uint32_t slot = 20; slot + 1 < kSlots; ++slot) {
        step(whole, slot);
        step(resumed, slot);
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            ends += whole.columns.at<bool>("terminated", slot, lane) ? 1 : 0;
            for (std::size_t element = 0; element < 4; ++element) {
                REQUIRE(resumed.columns.at<float>("observation", slot + 1, lane, element) ==
                        whole.columns.at<float>("observation", slot + 1, lane, element));
            }
        }
    }
    CHECK(ends > 0);
}

}  // namespace classic_test
