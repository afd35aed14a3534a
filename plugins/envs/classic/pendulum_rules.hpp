// SPDX-License-Identifier: Apache-2.0
// What a step of Pendulum computes.
#pragma once

#include "tenon/device_rules.hpp"

struct PendulumRules {
    double g, m, l, dt, max_speed, max_torque, reset_angle, reset_speed;
    std::int64_t max_episode_steps;
    using State = std::array<double, 2>;  // the angle from upright in radians, and the angular velocity
    using Action = float;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        state[0] = random.uniform(-reset_angle, reset_angle);
        state[1] = random.uniform(-reset_speed, reset_speed);
    }

    // In Gymnasium a float action makes the terms that contain it float: they are rounded in the same places.
    TENON_BOTH tenon::StepResult advance(State& state, float action) const {
        auto& [theta, omega] = state;
        const float limit = static_cast<float>(max_torque), torque = std::clamp(action, -limit, limit);
        const double angle = from_upright(theta);
        const double cost = angle * angle + 0.1 * (omega * omega) + 0.001F * (torque * torque);
        omega += (3 * g / (2 * l) * std::sin(theta) + static_cast<float>(3.0 / (m * (l * l))) * torque) * dt;
        omega = std::clamp(omega, -max_speed, max_speed);
        theta += omega * dt;
        return {.reward = -cost};
    }

    TENON_BOTH void observe(const State& state, float* out) const {
        out[0] = static_cast<float>(std::cos(state[0]));
        out[1] = static_cast<float>(std::sin(state[0]));
        out[2] = static_cast<float>(state[1]);
    }

    // The equivalent angle between -pi and pi.
    TENON_BOTH static double from_upright(double theta) {
        const double turned = std::fmod(theta + M_PI, 2 * M_PI);
        return (turned < 0 ? turned + 2 * M_PI : turned) - M_PI;
    }
};
