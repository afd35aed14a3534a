// SPDX-License-Identifier: Apache-2.0
// CartPole step by step against Gymnasium's, from its own states (golden/cartpole.txt), and as a host sees it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "cartpole.hpp"
#include "support/catch.hpp"
#include "support/env_rig.hpp"

using Catch::Matchers::WithinRel;
using tenon::test::EnvRig;

namespace {

constexpr auto kCartPole = tenon::env<CartPole>("CartPole-v1", "keep a pole upright");

// Both compute in double in the same order. With the sine and cosine of glibc 2.36 every state is equal to the last
// bit; the tolerance is two units in the last place, for other C libraries.
constexpr double kTolerance = 4.5e-16;

struct Step {
    bool sutton_barto_reward;
    std::int64_t action;
    std::array<double, 4> before;
    std::array<double, 4> after;
    std::array<double, 4> observation;
    double reward;
    bool terminated;
};

template <class Visit>
void for_each_golden_line(Visit&& visit) {
    std::ifstream file(TENON_GOLDEN_DIR "/cartpole.txt");
    REQUIRE(file.is_open());
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('#')) {
            visit(line);
        }
    }
}

CartPole configured(tenon::test::PluginHost& host, bool sutton_barto_reward) {
    tenon::test::OptionValues<CartPole> options;
    options["sutton_barto_reward"].integer = sutton_barto_reward ? 1 : 0;
    const tn_create_args args = {.struct_size = sizeof(tn_create_args),
                                 .lanes = 1,
                                 .host = &host.table(),
                                 .options = options.pointers().data(),
                                 .option_count = options.pointers().size(),
                                 .key = {}};
    CartPole env{};
    tenon::configure(env, args);
    return env;
}

}  // namespace

TEST_CASE("CartPole steps as Gymnasium's does") {
    tenon::test::PluginHost host;
    std::array<CartPole, 2> envs = {configured(host, false), configured(host, true)};
    int steps = 0;
    int falls = 0;
    for_each_golden_line([&](const std::string& line) {
        if (line.starts_with("limit")) {
            CHECK(line == "limit " + std::to_string(envs[0].max_episode_steps));
            return;
        }
        std::istringstream in(line);
        Step golden{};
        in >> golden.sutton_barto_reward >> golden.action;
        for (auto* four : {&golden.before, &golden.after, &golden.observation}) {
            for (double& value : *four) {
                in >> value;
            }
        }
        in >> golden.reward >> golden.terminated;
        REQUIRE(!in.fail());

        CartPole& env = envs.at(golden.sutton_barto_reward ? 1 : 0);
        env.state = golden.before;
        std::array<float, 4> observation{};
        const tenon::StepResult result = env.step(golden.action, observation);
        CAPTURE(line);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK_THAT(env.state.at(i), WithinRel(golden.after.at(i), kTolerance));
            CHECK(observation.at(i) == static_cast<float>(env.state.at(i)));
            CHECK_THAT(double{observation.at(i)}, WithinRel(golden.observation.at(i), 1.2e-7));
        }
        CHECK(result.reward == golden.reward);
        CHECK(result.terminated == golden.terminated);
        ++steps;
        falls += golden.terminated ? 1 : 0;
    });
    CHECK(steps > 200);
    CHECK(falls == 12);
}

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
