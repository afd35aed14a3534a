// SPDX-License-Identifier: Apache-2.0
// Compares every env step by step with Gymnasium's, starting from its states (golden/*.txt).
//
// All of them compute in double, in Gymnasium's order of operations; with glibc 2.36 on x86-64 every state is equal to
// the last bit. Where a sine or cosine is rounded differently (CartPole has its own, tenon/pack.hpp, and other C
// libraries differ), some states differ by a unit in the last place. So may those of Acrobot and the rewards of
// Pendulum, which multiply where Gymnasium calls pow.
#include <array>
#include <string>

#include "acrobot.hpp"
#include "cartpole.hpp"
#include "golden_steps.hpp"
#include "mountain_car.hpp"
#include "mountain_car_continuous.hpp"
#include "pendulum.hpp"

namespace golden_test {

using tenon::test::configured;
using tenon::test::for_each_golden_step;
using tenon::test::GoldenStep;
using tenon::test::Nearness;
using tenon::test::OptionValues;

namespace {

void check_near(const Nearness& near) {
    CHECK(near.equal >= 0.99 * near.steps);
    CHECK(near.ulps <= 1);
}

}  // namespace

TEST_CASE("CartPole steps as Gymnasium's does") {
    Nearness near;
    CartPole env{};
    for_each_golden_step("cartpole", 4, 4, 500, [&](const GoldenStep& golden) {
        if (golden.first) {
            env = configured<CartPole>([&](OptionValues<CartPole>& options) {
                if (golden.variant != "standard") {
                    options[golden.variant].integer = 1;
                }
            });
        }
        CartPole::State state;
        std::ranges::copy(golden.before, state.begin());
        const tenon::PackResult result = env.step(state, golden.action);
        for (std::size_t lane = 0; lane < tenon::kPackLanes; ++lane) {
            const std::array after = {state[0][lane], state[1][lane], state[2][lane], state[3][lane]};
            std::array<float, 4> observation{};
            std::ranges::transform(after, observation.begin(), [](double x) { return static_cast<float>(x); });
            near.add(golden, after, observation, result.reward[lane], result.terminated[lane]);
        }
    });
    constexpr int kLanes = tenon::kPackLanes;
    CHECK(near.steps == 2185 * kLanes);
    CHECK(near.ends == 99 * kLanes);
    check_near(near);
}

TEST_CASE("Pendulum steps as Gymnasium's does") {
    Nearness near;
    Pendulum env{};
    for_each_golden_step("pendulum", 2, 3, 200, [&](const GoldenStep& golden) {
        if (golden.first) {
            env = configured<Pendulum>(
                [&](OptionValues<Pendulum>& options) { options["g"].real = golden.variant == "gravity" ? 9.81 : 10; });
        }
        std::ranges::copy(golden.before, env.now.begin());
        const std::array action = {static_cast<float>(golden.action)};
        std::array<float, 3> observation{};
        const tenon::StepResult result = env.step(action, observation);
        near.add(golden, env.now, observation, result.reward, result.terminated);
    });
    CHECK(near.steps == 2400);
    CHECK(near.ends == 0);
    check_near(near);
}

TEST_CASE("MountainCar steps as Gymnasium's does") {
    Nearness near;
    MountainCar env{};
    for_each_golden_step("mountain_car", 2, 2, 200, [&](const GoldenStep& golden) {
        if (golden.first) {
            env = configured<MountainCar>([&](OptionValues<MountainCar>& options) {
                options["goal_velocity"].real = golden.variant == "goal_velocity" ? 0.03 : 0;
            });
        }
        std::ranges::copy(golden.before, env.now.begin());
        std::array<float, 2> observation{};
        const tenon::StepResult result = env.step(static_cast<std::int64_t>(golden.action), observation);
        near.add(golden, env.now, observation, result.reward, result.terminated);
    });
    CHECK(near.steps == 2249);
    CHECK(near.ends == 15);
    check_near(near);
}

TEST_CASE("MountainCarContinuous steps as Gymnasium's does") {
    Nearness near;
    MountainCarContinuous env{};
    for_each_golden_step("mountain_car_continuous", 2, 2, 999, [&](const GoldenStep& golden) {
        if (golden.first) {
            env = configured<MountainCarContinuous>([&](OptionValues<MountainCarContinuous>& options) {
                options["goal_velocity"].real = golden.variant == "goal_velocity" ? 0.03 : 0;
            });
        }
        env.now = {golden.before[0], golden.before[1], golden.first};
        const std::array action = {static_cast<float>(golden.action)};
        std::array<float, 2> observation{};
        const tenon::StepResult result = env.step(action, observation);
        near.add(golden, std::array{env.now.position, env.now.velocity}, observation, result.reward, result.terminated);
    });
    CHECK(near.steps == 1627);
    CHECK(near.ends == 15);
    CHECK(near.equal == near.steps);  // rounding to float hides a unit in the last place of a double
}

TEST_CASE("Acrobot steps as Gymnasium's does") {
    Nearness near;
    Acrobot env{};
    for_each_golden_step("acrobot", 4, 6, 500, [&](const GoldenStep& golden) {
        if (golden.first) {
            env = configured<Acrobot>([&](OptionValues<Acrobot>& options) {
                options["book_or_nips"].text = tenon::to_str(golden.variant == "nips" ? "nips" : "book");
            });
        }
        std::ranges::copy(golden.before, env.now.begin());
        tenon::test::PluginHost host;
        tenon::Rng rng(host.table());
        std::array<float, 6> observation{};
        const tenon::StepResult result = env.step(static_cast<std::int64_t>(golden.action), rng, observation);
        near.add(golden, env.now, observation, result.reward, result.terminated);
    });
    CHECK(near.steps == 1482);
    CHECK(near.ends == 13);
    check_near(near);
}

}  // namespace golden_test
