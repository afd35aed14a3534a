// SPDX-License-Identifier: Apache-2.0
// MountainCar-v0 as in Gymnasium 1.4, after Moore, "Efficient memory-based learning for robot control", 1990.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "classic_kernels.hpp"
#include "hill_drawing.hpp"
#include "mountain_car_rules.hpp"
#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct MountainCar : MountainCarRules {
    State now;
    static constexpr auto on_device =
        tenon::device_env<MountainCarRules>("mountain_car", &classic_kernels, &MountainCar::now);

    static constexpr auto options = std::tuple{
        tenon::option<&MountainCar::goal_velocity>("goal_velocity", 0, "[-1,1]", "minimum velocity at the goal"),
        tenon::option<&MountainCar::goal_position>("goal_position", 0.5, "[-10,10]", "position of the goal"),
        tenon::option<&MountainCar::min_position>("min_position", -1.2, "[-10,10]", "left end of the track"),
        tenon::option<&MountainCar::max_position>("max_position", 0.6, "[-10,10]", "right end of the track"),
        tenon::option<&MountainCar::max_speed>("max_speed", 0.07, "(0,10]", "maximum speed"),
        tenon::option<&MountainCar::force>("force", 0.001, "[0,1]", "speed that an action adds"),
        tenon::option<&MountainCar::gravity>("gravity", 0.0025, "[0,1]", "speed that the steepest slope adds"),
        tenon::option<&MountainCar::reset_low>("reset_low", -0.6, "[-10,10]", "the leftmost start"),
        tenon::option<&MountainCar::reset_high>("reset_high", -0.4, "[-10,10]", "the rightmost start"),
        tenon::option<&MountainCar::max_episode_steps>("max_episode_steps", 200, "[0,inf)", "time limit; 0: none")};

    void setup() const {
        require_bounds(reset_low, reset_high);
        if (min_position >= max_position) {
            throw tenon::InvalidArgument("min_position must be below max_position");
        }
    }
    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {2}, {min_position, -max_speed}, {max_position, max_speed})},
                {tenon::categorical("action", 3)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 2> observation) {
        begin(rng, now);
        std::ranges::copy(now, observation.begin());
    }
    tenon::StepResult step(std::int64_t action, std::span<float, 2> observation) {
        const tenon::StepResult result = advance(now, action);
        std::ranges::copy(now, observation.begin());
        return result;
    }

    static tenon::PictureSize picture() { return {.height = 200, .width = 300, .steps_per_second = 0}; }
    void draw(tenon::Picture& out) const { draw_on_hill(now[0], goal_position, min_position, max_position, out); }
};
