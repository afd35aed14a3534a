// SPDX-License-Identifier: Apache-2.0
// MountainCarContinuous-v0 as in Gymnasium 1.4. There the first step of an episode is computed in double and stored as
// float; later steps are computed in float, except for the cosine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "hill_drawing.hpp"
#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct MountainCarContinuous {
    double goal_velocity, goal_position, min_position, max_position, max_speed, power, reset_low, reset_high;
    std::int64_t max_episode_steps;
    std::array<double, 2> state;  // position and velocity
    bool first_step;

    static constexpr auto options = std::tuple{
        tenon::option<&MountainCarContinuous::goal_velocity>("goal_velocity", 0, "[-1,1]",
                                                             "minimum velocity at the goal"),
        tenon::option<&MountainCarContinuous::goal_position>("goal_position", 0.45, "[-10,10]", "position of the goal"),
        tenon::option<&MountainCarContinuous::min_position>("min_position", -1.2, "[-10,10]", "left end of the track"),
        tenon::option<&MountainCarContinuous::max_position>("max_position", 0.6, "[-10,10]", "right end of the track"),
        tenon::option<&MountainCarContinuous::max_speed>("max_speed", 0.07, "(0,10]", "maximum speed"),
        tenon::option<&MountainCarContinuous::power>("power", 0.0015, "[0,1]", "speed that the action 1 adds"),
        tenon::option<&MountainCarContinuous::reset_low>("reset_low", -0.6, "[-10,10]", "the leftmost start"),
        tenon::option<&MountainCarContinuous::reset_high>("reset_high", -0.4, "[-10,10]", "the rightmost start"),
        tenon::option<&MountainCarContinuous::max_episode_steps>("max_episode_steps", 999, "[0,inf)",
                                                                 "time limit; 0: none")};

    void setup() const {
        require_bounds(reset_low, reset_high);
        if (min_position >= max_position) {
            throw tenon::InvalidArgument("min_position must be below max_position");
        }
    }
    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {2}, {min_position, -max_speed}, {max_position, max_speed})},
                {tenon::bounded("action", {1}, -1, 1)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 2> observation) {
        state = {rng.uniform(reset_low, reset_high), 0};
        first_step = true;
        std::ranges::copy(state, observation.begin());
    }

    tenon::StepResult step(std::span<const float, 1> action, std::span<float, 2> observation) {
        const bool terminated = std::exchange(first_step, false) ? move<double>(action[0]) : move<float>(action[0]);
        std::ranges::copy(state, observation.begin());
        const double effort = double{action[0]} * double{action[0]} * 0.1;
        return {.reward = (terminated ? 100 : 0) - effort, .terminated = terminated};
    }

    static tenon::PictureSize picture() { return {.height = 200, .width = 300, .steps_per_second = 0}; }
    void draw(tenon::Picture& out) const { draw_on_hill(state[0], goal_position, min_position, max_position, out); }

    // Whether the goal is reached, judged before rounding to float.
    template <class Real>
    bool move(float action) {
        auto x = static_cast<Real>(state[0]);
        auto v = static_cast<Real>(state[1]);
        const double slope = 0.0025 * std::cos(double{3 * x});
        if (std::abs(action) > 1) {  // clipped to a double in Gymnasium
            v += static_cast<Real>(std::copysign(power, action) - slope);
        } else {
            v += static_cast<Real>(action * static_cast<float>(power) - static_cast<float>(slope));
        }
        v = std::clamp(v, static_cast<Real>(-max_speed), static_cast<Real>(max_speed));
        x = std::clamp(x + v, static_cast<Real>(min_position), static_cast<Real>(max_position));
        if (x == static_cast<Real>(min_position) && v < 0) {
            v = 0;
        }
        state = {static_cast<float>(x), static_cast<float>(v)};
        return x >= static_cast<Real>(goal_position) && v >= static_cast<Real>(goal_velocity);
    }
};
