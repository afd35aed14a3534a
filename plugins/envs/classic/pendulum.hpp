// SPDX-License-Identifier: Apache-2.0
// Pendulum-v1 as in Gymnasium 1.4: swing a rod up and hold it there, with a motor too weak to lift it at once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tenon/env.hpp"

struct Pendulum {
    double g, m, l, dt, max_speed, max_torque, reset_angle, reset_speed;
    std::int64_t max_episode_steps;
    std::array<double, 2> state;  // the angle from upright in radians, and the angular velocity

    static constexpr auto options = std::tuple{
        tenon::option<&Pendulum::g>("g", 10, "[0,1000]", "gravity in metres per second squared"),
        tenon::option<&Pendulum::m>("m", 1, "(0,1000]", "the rod's mass in kilogrammes"),
        tenon::option<&Pendulum::l>("l", 1, "(0,1000]", "the rod's length in metres"),
        tenon::option<&Pendulum::dt>("dt", 0.05, "(0,1]", "seconds between two steps"),
        tenon::option<&Pendulum::max_speed>("max_speed", 8, "(0,1000]", "maximum speed in radians per second"),
        tenon::option<&Pendulum::max_torque>("max_torque", 2, "(0,1000]", "maximum torque in newton metres"),
        tenon::option<&Pendulum::reset_angle>("reset_angle", M_PI, "[0,1000]", "maximum initial angle from upright"),
        tenon::option<&Pendulum::reset_speed>("reset_speed", 1, "[0,1000]", "maximum initial speed"),
        tenon::option<&Pendulum::max_episode_steps>("max_episode_steps", 200, "[0,inf)", "time limit; 0: none")};

    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {3}, {-1, -1, -max_speed}, {1, 1, max_speed})},
                {tenon::bounded("action", {1}, -max_torque, max_torque)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 3> observation) {
        state = {rng.uniform(-reset_angle, reset_angle), rng.uniform(-reset_speed, reset_speed)};
        observe(observation);
    }

    // In Gymnasium a float action makes the terms that contain it float: they are rounded in the same places.
    tenon::StepResult step(std::span<const float, 1> action, std::span<float, 3> observation) {
        auto& [theta, omega] = state;
        const float limit = static_cast<float>(max_torque), torque = std::clamp(action[0], -limit, limit);
        const double angle = from_upright(theta);
        const double cost = angle * angle + 0.1 * (omega * omega) + 0.001F * (torque * torque);
        omega += (3 * g / (2 * l) * std::sin(theta) + static_cast<float>(3.0 / (m * (l * l))) * torque) * dt;
        omega = std::clamp(omega, -max_speed, max_speed);
        theta += omega * dt;
        observe(observation);
        return {.reward = -cost};
    }

    void observe(std::span<float, 3> out) const {
        const auto [theta, omega] = state;
        std::ranges::copy(std::array{std::cos(theta), std::sin(theta), omega}, out.begin());
    }

    tenon::PictureSize picture() const { return {.height = 200, .width = 200, .steps_per_second = 1 / dt}; }
    void draw(tenon::Picture& out) const {
        out.show({-1.2 * l, -1.2 * l}, {1.2 * l, 1.2 * l});
        out.line({0, 0}, {-l * std::sin(state[0]), l * std::cos(state[0])}, 0.2 * l, {204, 77, 77});
        out.disc({0, 0}, 0.05 * l, {0, 0, 0});
    }

    // The equivalent angle between -pi and pi.
    static double from_upright(double theta) {
        const double turned = std::fmod(theta + M_PI, 2 * M_PI);
        return (turned < 0 ? turned + 2 * M_PI : turned) - M_PI;
    }
};
