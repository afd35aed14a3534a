// SPDX-License-Identifier: Apache-2.0
// What a step of MountainCarContinuous computes. In Gymnasium the first step of an episode is computed in double and
// stored as float; later steps are computed in float, except for the cosine.
#pragma once

#include "tenon/device_rules.hpp"

struct MountainCarContinuousRules {
    double goal_velocity, goal_position, min_position, max_position, max_speed, power, reset_low, reset_high;
    std::int64_t max_episode_steps;
    struct State {
        double position, velocity;
        bool first_step;
    };
    using Action = float;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        state.position = random.uniform(reset_low, reset_high);
        state.velocity = 0;
        state.first_step = true;
    }

    TENON_BOTH tenon::StepResult advance(State& state, float action) const {
        const bool terminated = state.first_step ? move<double>(state, action) : move<float>(state, action);
        state.first_step = false;
        const double effort = double{action} * double{action} * 0.1;
        return {.reward = (terminated ? 100 : 0) - effort, .terminated = terminated};
    }

    TENON_BOTH void observe(const State& state, float* out) const {
        out[0] = static_cast<float>(state.position);
        out[1] = static_cast<float>(state.velocity);
    }

    // Whether the goal is reached, judged before rounding to float.
    template <class Real>
    TENON_BOTH bool move(State& state, float action) const {
        auto x = static_cast<Real>(state.position);
        auto v = static_cast<Real>(state.velocity);
        const double slope = 0.0025 * std::cos(double{3 * x});
        if (std::fabs(action) > 1) {  // clipped to a double in Gymnasium
            v += static_cast<Real>(std::copysign(power, action) - slope);
        } else {
            v += static_cast<Real>(action * static_cast<float>(power) - static_cast<float>(slope));
        }
        v = std::clamp(v, static_cast<Real>(-max_speed), static_cast<Real>(max_speed));
        x = std::clamp(x + v, static_cast<Real>(min_position), static_cast<Real>(max_position));
        if (x == static_cast<Real>(min_position) && v < 0) {
            v = 0;
        }
        state.position = static_cast<float>(x);
        state.velocity = static_cast<float>(v);
        return x >= static_cast<Real>(goal_position) && v >= static_cast<Real>(goal_velocity);
    }
};
