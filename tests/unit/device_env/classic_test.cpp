// SPDX-License-Identifier: Apache-2.0
// The envs of classic on the emulated device.
#include "classic/acrobot.hpp"
#include "classic/cartpole.hpp"
#include "classic/mountain_car.hpp"
#include "classic/mountain_car_continuous.hpp"
#include "classic/pendulum.hpp"
#include "unit/device_env/on_device.hpp"

namespace classic_test {
namespace {

using on_device::choice;
using on_device::compare;
using on_device::number;

// Short episodes.
void make_short(auto& options) {
    options["max_episode_steps"].integer = 13;
}

TEST_CASE("CartPole on the device has the bytes of packs on the CPU") {
    const auto device = tenon::open_emulated();
    compare(device, tenon::env<CartPole>("x", "x"), choice(2), 60);
    const auto leans = [](auto& options) {  // beyond half a radian the C library gives sine and cosine
        options["theta_threshold"].real = 90;
        options["semi_implicit"].integer = 1;
    };
    compare(device, tenon::env<CartPole>("x", "x"), choice(2), leans, 90);
}

TEST_CASE("Pendulum on the device has the bytes of the CPU") {
    compare(tenon::open_emulated(), tenon::env<Pendulum>("x", "x"), number(2.5F), [](auto& o) { make_short(o); }, 40);
}

TEST_CASE("MountainCar on the device has the bytes of the CPU") {
    compare(tenon::open_emulated(), tenon::env<MountainCar>("x", "x"), choice(3), [](auto& o) { make_short(o); }, 40);
}

TEST_CASE("MountainCarContinuous on the device has the bytes of the CPU") {
    const auto near_goal = [](auto& options) {
        options["max_episode_steps"].integer = 31;
        options["reset_high"].real = 0.44;
    };
    compare(tenon::open_emulated(), tenon::env<MountainCarContinuous>("x", "x"), number(1.2F), near_goal, 60);
}

TEST_CASE("Acrobot on the device has the bytes of the CPU, with noise and the equations of either source") {
    const auto device = tenon::open_emulated();
    const auto noisy = [](auto& options) {
        make_short(options);
        options["torque_noise_max"].real = 0.5;
        options["book_or_nips"].text = tenon::to_str("nips");
    };
    compare(device, tenon::env<Acrobot>("x", "x"), choice(3), noisy, 30);
    compare(device, tenon::env<Acrobot>("x", "x"), choice(3), [](auto& o) { make_short(o); }, 15);
}

TEST_CASE("an action that does not exist is a fault of its lane") {
    const auto device = tenon::open_emulated();
    on_device::EnvRig rig(tenon::env<CartPole>("x", "x"), 3, 2);
    on_device::Stepped stepped(rig, device);
    stepped.reset(0, nullptr, nullptr);
    rig.columns.at<std::int64_t>("action", 0, 0) = 0;
    rig.columns.at<std::int64_t>("action", 0, 1) = 1;
    rig.columns.at<std::int64_t>("action", 0, 2) = 2;
    const tn_fault fault = stepped.step(0, 1, 0, 3);
    CHECK(fault.status == TN_INVALID_ARGUMENT);
    CHECK(fault.where == 2);
}

}  // namespace
}  // namespace classic_test
