// SPDX-License-Identifier: Apache-2.0
// Pendulum-v1 as in Gymnasium 1.4: swing a rod up and hold it there, with a motor too weak to lift it at once.
#pragma once

#include <cmath>
#include <span>

#include "classic_kernels.hpp"
#include "pendulum_rules.hpp"
#include "tenon/env.hpp"

struct Pendulum : PendulumRules {
    State now;
    static constexpr auto on_device = tenon::device_env<PendulumRules>("pendulum", &classic_kernels, &Pendulum::now);

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
        begin(rng, now);
        observe(now, observation.data());
    }
    tenon::StepResult step(std::span<const float, 1> action, std::span<float, 3> observation) {
        const tenon::StepResult result = advance(now, action[0]);
        observe(now, observation.data());
        return result;
    }

    tenon::PictureSize picture() const { return {.height = 200, .width = 200, .steps_per_second = 1 / dt}; }
    void draw(tenon::Picture& out) const {
        out.show({-1.2 * l, -1.2 * l}, {1.2 * l, 1.2 * l});
        out.line({0, 0}, {-l * std::sin(now[0]), l * std::cos(now[0])}, 0.2 * l, {204, 77, 77});
        out.disc({0, 0}, 0.05 * l, {0, 0, 0});
    }
};
